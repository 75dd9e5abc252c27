package io.weirmq.replication.metadata;

import io.weirmq.replication.metadata.internal.MetadataFile;
import io.weirmq.replication.metadata.internal.MetadataReading;
import io.weirmq.storage.StorageException;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.storage.survey.FolderSurvey;
import io.weirmq.storage.survey.SurveyedLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the image that a store begins with: that of the file, or one that is made anew where the
 * file is damaged or gone. Tells what was made anew and what is lost. Confined to one thread.
 */
final class MetadataOpening {

  private static final Logger LOG = LoggerFactory.getLogger(MetadataOpening.class);

  private static final int NAMES_TOLD_MAX = 20;

  private final MetadataFile file;
  private final LogFileSystem files;
  private final int brokerId;
  private final RebuildSources sources;

  MetadataOpening(MetadataFile file, LogFileSystem files, int brokerId, RebuildSources sources) {
    this.file = file;
    this.files = files;
    this.brokerId = brokerId;
    this.sources = sources;
  }

  /**
   * Returns the image; the metadata file is as it was, unless it is damaged and only its name could
   * be changed.
   *
   * @throws StorageException where the disk refuses, the metadata is another broker's or a later
   *     version's, or only other folders than the first were used
   */
  MetadataImage image() throws StorageException {
    MetadataReading reading = file.read();
    if (reading instanceof MetadataReading.Whole whole) {
      return ours(whole.image(), file.path().toString());
    }
    if (reading instanceof MetadataReading.Damaged damaged) {
      return ofDamaged(damaged);
    }
    MetadataReading previous = file.readPrevious();
    boolean used = !(previous instanceof MetadataReading.Missing) || isHomeUsed();
    if (!used) {
      requireOthersUnused();
      return MetadataImage.empty(TopicIds.toText(TopicIds.random()), brokerId);
    }
    LOG.warn("{} is missing, but the folder was used; the metadata is made anew", file.path());
    return rebuilt(previous);
  }

  private MetadataImage ours(MetadataImage image, String where) throws StorageException {
    if (image.controllerId() != brokerId) {
      throw new StorageException(
          "%s belongs to broker %d, but this broker is configured as %d; set node.id=%d"
              .formatted(where, image.controllerId(), brokerId, image.controllerId()));
    }
    return image;
  }

  private MetadataImage ofDamaged(MetadataReading.Damaged damaged) throws StorageException {
    Path kept = file.keepDamaged(damaged.content());
    if (damaged.beginning().isPresent()) {
      MetadataImage image = ours(damaged.beginning().get(), file.path().toString());
      LOG.warn(
          "{} has something behind its end: {}; what is before is whole, nothing is lost; the"
              + " damaged file is kept as {}",
          file.path(),
          damaged.what(),
          kept);
      return image;
    }
    LOG.warn(
        "{} is damaged: {}; it is kept as {}, and the metadata is made anew",
        file.path(),
        damaged.what(),
        kept);
    return rebuilt(file.readPrevious());
  }

  /** A file that never was there is normal for a first start, where the folder is empty, too. */
  private boolean isHomeUsed() {
    if (sources.dataFolders().isEmpty()) {
      return false;
    }
    try {
      return usedSurvey(sources.dataFolders().get(0)).isPresent();
    } catch (StorageException e) {
      // It is opened right after this, and refuses the start then.
      LOG.warn("whether there were partitions before is not known: {}", e.getMessage());
      return false;
    }
  }

  /**
   * An empty first folder beside used ones is a disk that is not mounted, or another one: a new
   * cluster must not begin beside their logs, nor beside those of a folder that can't be read.
   */
  private void requireOthersUnused() throws StorageException {
    for (Path folder : sources.dataFolders()) {
      Optional<FolderSurvey> used;
      try {
        used = usedSurvey(folder);
      } catch (StorageException e) {
        throw new StorageException(
            ("%s, the first of log.dirs, has neither metadata nor logs, and whether %s was used"
                    + " before is not known: %s; mend that, or take the folder out of log.dirs")
                .formatted(sources.dataFolders().get(0), folder, e.getMessage()),
            e);
      }
      if (used.isPresent()) {
        throw new StorageException(
            ("%s, the first of log.dirs, has neither metadata nor logs, but %s was used before"
                    + " (cluster %s, %d partitions): mount the disk that belongs there and start"
                    + " again; where what was on it is given up, name %s first in log.dirs")
                .formatted(
                    sources.dataFolders().get(0),
                    folder,
                    used.get().clusterId().orElse("not known"),
                    used.get().logs().size(),
                    folder));
      }
    }
  }

  private Optional<FolderSurvey> usedSurvey(Path folder) throws StorageException {
    return files.isDirectory(folder)
        ? Optional.of(FolderSurvey.of(files, folder)).filter(FolderSurvey::isUsed)
        : Optional.empty();
  }

  private MetadataImage rebuilt(MetadataReading previousReading) throws StorageException {
    Optional<MetadataImage> previous = Optional.empty();
    if (previousReading instanceof MetadataReading.Whole whole) {
      previous = Optional.of(ours(whole.image(), "the copy beside " + file.path()));
    } else if (previousReading instanceof MetadataReading.Damaged damaged) {
      previous = damaged.beginning();
      LOG.warn("the copy beside {} is damaged, too: {}", file.path(), damaged.what());
    }
    List<FolderSurvey> surveys = new ArrayList<>();
    boolean complete = !sources.dataFolders().isEmpty();
    for (Path folder : sources.dataFolders()) {
      try {
        FolderSurvey survey = FolderSurvey.of(files, folder);
        survey.refusals().forEach(refusal -> LOG.warn("not known: {}", refusal));
        surveys.add(survey);
        complete &= survey.isUsed();
      } catch (StorageException e) {
        LOG.warn("partitions of a data folder are not known: {}", e.getMessage());
        complete = false;
      }
    }
    MetadataRebuild rebuild = new MetadataRebuild(previous, surveys, complete, brokerId, sources);
    MetadataImage image = rebuild.image();
    tell(rebuild, image, previous.isPresent());
    setAside(rebuild.strays());
    return image;
  }

  private void tell(MetadataRebuild rebuild, MetadataImage image, boolean hadPrevious) {
    LOG.warn(
        "metadata made anew from {}{}: cluster {}, {} topics with {} partitions; leader epochs are"
            + " raised by {}, producer ids go on at {}",
        sources.dataFolders(),
        hadPrevious ? " and the copy of an earlier start" : "",
        image.clusterId(),
        image.topics().size(),
        image.partitionCount(),
        MetadataRebuild.EPOCH_GAP,
        image.nextProducerId());
    if (!hadPrevious) {
      LOG.warn(
          "dynamic configurations of brokers are lost, and so is which topics were being deleted:"
              + " one whose folders are still there is back");
    }
    tell(
        "configurations are those of the last start or of their last change",
        rebuild.configsOfPrevious());
    tell(
        "configurations are lost; until they are set again nothing is deleted from these topics,"
            + " neither by age nor by size nor by compaction, but for internal topics, which have"
            + " their own",
        rebuild.configsLost());
    tell("deleted before and still so", rebuild.deleted());
    tell("dropped, as no data folder has a partition of them", rebuild.dropped());
    tell("no folder tells the topic id", rebuild.idsLost());
    tell("left out, as another topic has their id; their folders are left alone", rebuild.copies());
    tell("folders left alone, as no topic can have such a name or number", rebuild.unbelievable());
  }

  private static void tell(String what, Collection<String> names) {
    if (!names.isEmpty()) {
      LOG.warn(
          "{} of the metadata made anew: {}: {}{}",
          names.size(),
          what,
          names.stream().limit(NAMES_TOLD_MAX).toList(),
          names.size() > NAMES_TOLD_MAX ? " and more" : "");
    }
  }

  /**
   * A log of another topic under the same name would be taken for what is left of a deleted one.
   */
  private void setAside(List<SurveyedLog> strays) throws StorageException {
    for (SurveyedLog stray : strays) {
      Path aside = stray.setAside(files, TopicIds.random());
      LOG.warn(
          "{} has topic id {}, but the topic has another one; the folder is kept as {}",
          stray.folder(),
          stray.topicId().map(TopicIds::toText).orElse("?"),
          aside);
    }
  }
}
