/**
 * What the files of data folders tell of the partitions in them, without opening a log: for a
 * broker whose own record of its topics is gone.
 *
 * <p>{@link io.weirmq.storage.survey.FolderSurvey} goes through one data folder and returns a
 * {@link io.weirmq.storage.survey.SurveyedLog} per partition: topic id, leader epoch, producer ids.
 * Nothing is locked and nothing written; only {@link io.weirmq.storage.survey.SurveyedLog#setAside}
 * changes a name.
 *
 * <p>Threads: values are immutable, a survey is taken by one thread.
 */
@NullMarked
package io.weirmq.storage.survey;

import org.jspecify.annotations.NullMarked;
