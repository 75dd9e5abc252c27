package io.weirmq.storage.internal.compact;

import io.weirmq.storage.StorageException;

/** Counts what a run reads and writes, slows it down, and stops it. Confined to one thread. */
interface IoBudget {

  /**
   * Called before bytes are read; returns when they may be.
   *
   * @throws StorageException where the run is to stop
   */
  void read(int bytes) throws StorageException;

  /**
   * Called before bytes are written; returns when they may be.
   *
   * @throws StorageException where the run is to stop
   */
  void write(int bytes) throws StorageException;
}
