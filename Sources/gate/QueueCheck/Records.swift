import GatehouseQueues
import GatehouseSystem
import GatehouseWaits

/// The records of the watched processes, and the selection of those to report.
final class Records: Sendable {
  /// The name that a process needs in order to send its record.
  let name: String
  private let inbox: FileInbox
  /// Whether the program runs the tests of a Swift package. If it does, only the processes that run tests are reported;
  /// compilers and the build system are not.
  private let isTest: Bool
  private let received = Lock([RecordFile.Memory]())
  /// The numbers of records that were not kept, though they may be reported.
  private let dropped = Lock((tests: 0, others: 0))
  /// The number of descriptors that records leave free. The looks at the processes need some, and Dispatch traps when
  /// it cannot open a file.
  private static let reserve = 8
  private let maps = Lock([Int32: String]())
  /// What was read of each process's images, with the length of the memory map that it was read from.
  private let read = Lock([Int32: (length: Int, images: ProgramImages)]())

  init(isTest: Bool) throws(SystemError) {
    let inbox = try FileInbox()
    name = inbox.name
    self.inbox = inbox
    self.isTest = isTest
  }

  /// All records so far, in the order in which they arrived.
  var all: [RecordFile] {
    // The lock is held while files are taken, so that another thread that looks in the meantime does not miss a file
    // that is being taken.
    let memories = received.withLock { memories in
      while let file = (try? inbox.next()) ?? nil {
        let descriptor = Int(file.descriptor)
        let memory = RecordFile.Memory(file)
        if let record = RecordFile(memory), isKept(record, descriptor) { memories.append(memory) }
      }
      return memories
    }
    return memories.compactMap(RecordFile.init)
  }

  /// Whether there is room for a record that has just arrived. One that may be reported is counted if there is none.
  /// The others, which tell of programs that were started without the library, get half of the room.
  private func isKept(_ record: RecordFile, _ descriptor: Int) -> Bool {
    let limit = (try? DescriptorLimit.current.soft) ?? .max
    // The process may not have written its map yet.
    let maps = record.mapsLength > 0 ? record.maps : Self.text(at: "/proc/\(record.processID)/maps") ?? ""
    let program = MappedImages(maps: maps).programName
    let runsTests = Self.isTestRunner(program)
    if !runsTests, isTest || Self.isTool(program) && !record.isAskedFor { return descriptor < limit / 2 }
    if descriptor < limit - Self.reserve { return true }
    dropped.withLock { if runsTests { $0.tests += 1 } else { $0.others += 1 } }
    return false
  }

  /// The records that would be reported and were not kept, with their number and the reason.
  var losses: [String] {
    let dropped = dropped.withLock { $0 }
    let isTest = isTest || all.contains(where: isTestRunner)
    let count = dropped.tests + (isTest ? 0 : dropped.others)
    let reason = "too many files were open; raise the limit: ulimit -n"
    return count > 0 ? ["programs whose records were not kept: \(count) not watched (\(reason))"] : []
  }

  /// The process that the user named and the processes that it starts, without tools that build programs. In a test run
  /// these are only the processes that run tests.
  var chosen: [RecordFile] {
    let all = all
    let tests = all.filter(isTestRunner)
    if isTest || !tests.isEmpty { return tests }
    return all.filter { $0.isAskedFor || !Self.isTool(images(of: $0).programName) }
  }

  private func isTestRunner(_ record: RecordFile) -> Bool { Self.isTestRunner(images(of: record).programName) }

  private static func isTestRunner(_ name: String) -> Bool {
    name.hasSuffix(".xctest") || name == "xctest" || name == "swiftpm-testing-helper"
  }

  /// Whether this is a compiler or another build tool, which a script may start.
  private static func isTool(_ name: String) -> Bool {
    name.hasPrefix("swift-") || name.hasPrefix("clang") || name.hasPrefix("sourcekit") || name == "swiftc"
  }

  /// Reads the memory map of each living process. This is repeated, because a process may load more images.
  func keepImages() {
    for record in all {
      let id = record.processID
      guard let text = Self.text(at: "/proc/\(id)/maps"), text.contains(ProgramImages.ownName) else { continue }
      maps.withLock { $0[id] = text }
    }
  }

  func images(of record: RecordFile) -> ProgramImages {
    // The process writes the map a second time when it ends by itself.
    let kept = maps.withLock { $0[record.processID] } ?? "", isKept = kept.utf8.count > record.mapsLength
    let length = isKept ? kept.utf8.count : record.mapsLength
    if let known = read.withLock({ $0[record.processID] }), known.length == length { return known.images }
    let images = ProgramImages(maps: isKept ? kept : record.maps)
    read.withLock { $0[record.processID] = (length, images) }
    return images
  }

  private static func text(at path: String) -> String? {
    guard let file = try? OpenFile(path), let bytes = try? file.readAll(limit: 64 << 20) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
