import CGatehouseWaits

extension RecordFile {
  /// What the record could not hold, one line each: the one list of what makes a record incomplete.
  var losses: [String] {
    let tables: [(Table, Int, String)] = [
      (.classes, Int(GWR_CLASSES), "classes"), (.edges, Int(GWR_EDGES), "waits"),
      (.waits, Int(GWR_WAITS), "waits for unknown signals"), (.queues, Int(GWR_QUEUES), "queues"),
    ]
    return tables.compactMap { table, room, name in
      let lost = count(table) - room
      return lost > 0 ? "\(lost) of \(count(table)) \(name) did not fit" : nil
    }
  }
}
