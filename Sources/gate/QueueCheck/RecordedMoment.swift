import CGatehouseWaits

/// One moment of the timeline.
struct RecordedMoment: Sendable {
  enum Act: Sendable { case submit, ask, begin, end, asked }

  let act: Act
  let thread: UInt32
  /// Monotonic nanoseconds.
  let at: UInt64
  let queue: UInt64
  let classID: UInt32
  /// The number of a block that was submitted; 0 when somebody waits for it.
  let job: UInt32

  init?(_ row: Bytes) {
    switch row.u32(0) {
    case GWR_SUBMIT.rawValue: act = .submit
    case GWR_ASK.rawValue: act = .ask
    case GWR_BEGIN.rawValue: act = .begin
    case GWR_END.rawValue: act = .end
    case GWR_ASKED.rawValue: act = .asked
    default: return nil  // it was being written
    }
    thread = row.u32(GWR_MOMENT_TID)
    at = row.u64(GWR_MOMENT_AT)
    queue = row.u64(GWR_MOMENT_INSTANCE)
    classID = row.u32(GWR_MOMENT_CLASS)
    job = row.u32(GWR_MOMENT_JOB)
  }
}

extension RecordFile {
  /// In the order of time: the latest, as many as there is room for.
  var moments: [RecordedMoment] {
    rows(.moments, of: GWR_MOMENT_SIZE, atMost: GWR_MOMENTS).compactMap(RecordedMoment.init).sorted { $0.at < $1.at }
  }

  /// How many were written over by later ones.
  var lostMoments: Int { max(0, count(.moments) - Int(GWR_MOMENTS)) }
}
