import CGatehouseWaits

extension RecordFile {
  /// What the record had no room for, with numbers: one text for each table that was full.
  var losses: [String] {
    let lost = header.losses
    let counts: [(count: UInt64, what: String)] = [
      (lost.threads, "threads"), (lost.holds, "holds, of threads that hold very many things"),
      (header.lost_things, "queues, locks and signals"), (missing(header.classes), "classes of queues and locks"),
      (missing(header.edges), "waits"), (lost.edges, "waits that were not compared with earlier ones"),
      (missing(header.waits), "unattributed waits"), (missing(header.queues), "queues of the state at a hang"),
    ]
    return counts.filter { $0.count > 0 }.map { "\($0.what): \($0.count) lost" }
  }

  /// The number of rows that did not fit into the table.
  private func missing(_ table: gwr_table) -> UInt64 { table.count > table.room ? table.count - table.room : 0 }
}
