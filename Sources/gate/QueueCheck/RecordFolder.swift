import GatehouseQueues
import GatehouseSystem

/// The folder to which the watched processes write their records, and the choice of those to report.
final class RecordFolder: Sendable {
  let path: String
  /// Whether the program runs the tests of a Swift package. Then only the processes that run tests are reported, and
  /// neither compilers nor the build system.
  private let isTest: Bool
  private let maps = Lock([Int32: String]())

  init(path: String, isTest: Bool) {
    self.path = path
    self.isTest = isTest
  }

  func remove() { try? OpenFolder.removeAll(at: path) }

  var all: [RecordFile] {
    let names = (try? OpenFolder(path).names()) ?? []
    return names.filter { $0.hasSuffix(".record") }.sorted().compactMap { RecordFile(path: "\(path)/\($0)") }
  }

  /// The process that the user named. If it starts others and uses no dispatch itself, the ones that do. In a test run
  /// the processes that run tests.
  var chosen: [RecordFile] {
    let all = all
    let tests = all.filter { isTestRunner($0) }
    if isTest || !tests.isEmpty { return tests }
    let asked = all.filter(\.isAskedFor)
    if asked.contains(where: \.usesDispatch) { return asked }
    let others = all.filter { $0.usesDispatch && !isTool($0) }
    return others.isEmpty ? asked : others
  }

  private func isTestRunner(_ record: RecordFile) -> Bool {
    let name = images(of: record).programName
    return name.hasSuffix(".xctest") || name == "xctest" || name == "swiftpm-testing-helper"
  }

  /// Compilers and builders, which a script may start.
  private func isTool(_ record: RecordFile) -> Bool {
    let name = images(of: record).programName
    return name.hasPrefix("swift-") || name.hasPrefix("clang") || name.hasPrefix("sourcekit") || name == "swiftc"
  }

  /// Reads the memory map of each process that lives, again and again: a process may load more images.
  func keepImages() {
    for record in all {
      let id = record.processID
      guard let text = Self.text(at: "/proc/\(id)/maps"), text.contains(ProgramImages.ownName) else { continue }
      maps.withLock { $0[id] = text }
    }
  }

  func images(of record: RecordFile) -> ProgramImages {
    let id = record.processID
    // The process writes it once more when it ends by itself.
    let written = Self.text(at: "\(path)/\(id).maps") ?? ""
    let kept = maps.withLock { $0[id] } ?? ""
    return ProgramImages(maps: kept.utf8.count > written.utf8.count ? kept : written)
  }

  private static func text(at path: String) -> String? {
    // The first may be anything that a watched program put there, a pipe as well.
    guard let file = try? OpenFile(path), (try? file.status().kind) == .file,
      let bytes = try? file.readAll(limit: 64 << 20)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
