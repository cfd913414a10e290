import GatehouseBase

/// The tracks of a timeline, numbered from 1. Track 0 is the process.
struct TimelineTracks: Sendable {
  struct Track: Sendable {
    let number: Int
    let name: String
    /// The end of the latest slice on the track so far.
    var end: UInt64 = 0
  }

  private(set) var all: [Track] = []
  /// The numbers of each queue's lanes.
  private var lanes: [UInt64: [Int]] = [:]
  private var names: [UInt64: String] = [:]
  private var threads: [UInt32: Int] = [:]

  private mutating func add(_ name: String) -> Int {
    all.append(Track(number: all.count + 1, name: name))
    return all.count
  }

  /// Gives a queue its name, and its first track.
  mutating func name(_ queue: UInt64, _ name: String) {
    guard names[queue] == nil else { return }
    names[queue] = name
    lanes[queue] = [add(name)]
  }

  /// The first track of a queue.
  mutating func first(of queue: UInt64) -> Int {
    name(queue, "queue without a name")
    return lanes[queue]?.first ?? 0
  }

  /// The first track of a queue on which nothing runs at that time, or a new one.
  mutating func lane(of queue: UInt64, from: UInt64, to: UInt64) -> Int {
    _ = first(of: queue)
    let known = lanes[queue, default: []]
    let number = known.first { isFree($0, from: from) } ?? add("\(names[queue] ?? ""), lane \(known.count + 1)")
    if !known.contains(number) { lanes[queue]?.append(number) }
    occupy(number, until: to)
    return number
  }

  mutating func occupy(_ track: Int, until: UInt64) { all[track - 1].end = max(all[track - 1].end, until) }

  /// Whether all slices on the track so far have ended by then.
  func isFree(_ track: Int, from: UInt64) -> Bool { all[track - 1].end <= from }

  /// The track of a thread.
  mutating func thread(_ id: UInt32) -> Int {
    if let known = threads[id] { return known }
    let number = add("thread \(id)")
    threads[id] = number
    return number
  }
}

/// One event of the trace before it is written.
struct TimelineSlice: Sendable {
  enum Phase: Sendable {
    case complete(until: UInt64)
    case begin(Int), end(Int)
    case instant
  }

  let name: String
  let phase: Phase
  private(set) var track: Int
  let at: UInt64
  let category: String
  let arguments: JSONObject

  init(
    _ name: String, _ phase: Phase, track: Int, at: UInt64, category: String = "", _ arguments: JSONObject = [:]
  ) {
    self.name = name
    self.phase = phase
    self.track = track
    self.at = at
    self.category = category
    self.arguments = arguments
  }

  var letter: String {
    switch phase {
    case .complete: "X"
    case .begin: "b"
    case .end: "e"
    case .instant: "i"
    }
  }

  /// The time at which it ends.
  var until: UInt64 { if case .complete(let until) = phase { until } else { at } }

  func onTrack(_ track: Int) -> Self {
    var copy = self
    copy.track = track
    return copy
  }
}
