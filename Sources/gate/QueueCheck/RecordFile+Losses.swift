import CGatehouseWaits
import GatehouseQueues

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
    let children =
      header.forked > 0
      ? ["children of fork that took locks under locks, and started no other program: \(header.forked) not watched"]
      : []
    return counts.filter { $0.count > 0 }.map { "\($0.what): \($0.count) lost" } + children
  }

  /// The number of programs that the process started without the library, and for whose names there was no room.
  var droppedMore: Int { max(Int(clamping: header.dropped) - Int(GWR_DROPPED), 0) }

  /// The programs that the process started without the library, as it named them.
  var dropped: [String] {
    guard header.dropped > 0 else { return [] }
    let bytes: [UInt8] = GatehouseQueues.values(of: header.dropped_paths)
    return stride(from: 0, to: bytes.count, by: Int(GWR_PATH)).compactMap { start in
      let name = bytes[start..<min(start + Int(GWR_PATH), bytes.count)].prefix { $0 != 0 }
      return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }
  }

  /// The number of rows that did not fit into the table.
  private func missing(_ table: gwr_table) -> UInt64 { table.count > table.room ? table.count - table.room : 0 }
}
