import Foundation
import GatehouseBase
import GatehouseSystem

/// The program that is to be watched.
struct Executable: Sendable {
  let path: String

  /// Finds it as a shell would. Throws `.invalidArgument` when there is none.
  init(named name: String) throws(AuthError) {
    let folders =
      name.contains("/")
      ? [""] : (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/" }
    guard let found = folders.map({ $0 + name }).first(where: Program.canStart) else {
      let isThere = folders.contains { (try? FileStatus.at($0 + name, followingLink: true))?.kind == .file }
      throw AuthError(
        .invalidArgument, isThere ? "\(name) is not executable (chmod +x)" : "there is no program \(name)")
    }
    path = found
  }

  /// Why nothing that the program waits for can be seen; nil when it can.
  ///
  /// A library is preloaded by the dynamic linker, before libraries only: what is linked into the program itself is not
  /// seen.
  var obstacle: String? {
    // A name that dispatch gives to one of its own queues; and the library as one that is to be loaded.
    let (queue, library) = ("com.apple.libdispatch-manager\0", "libdispatch.so")
    let linkers = ["ld-linux", "/ld-musl"]
    guard let file = try? OpenFile(path), (try? file.read(at: 0, count: 4)) == [0x7F, 0x45, 0x4C, 0x46],
      let found = try? file.found(of: linkers + [queue, library])
    else { return nil }
    guard !found.isDisjoint(with: linkers) else {
      return "it is linked statically, and nothing can be preloaded into it"
    }
    if found.contains(queue), !found.contains(library) {
      return "dispatch is linked into it (-static-stdlib), and waits in it cannot be seen; link it without that option"
    }
    return nil
  }

  /// The library to preload: beside this program, or in the folder `lib` beside its own.
  static func monitor() throws(AuthError) -> String {
    if let own = try? CurrentProcess.executable() {
      let folder = FileLocation(own).folder
      for folder in [folder, FileLocation(folder).folder + "/lib"] {
        let path = "\(folder)/\(ProgramImages.ownName)"
        if let status = try? FileStatus.at(path, followingLink: true), status.kind == .file { return path }
      }
    }
    throw AuthError(
      .invalidArgument,
      "\(ProgramImages.ownName) is not beside gate; build it with: swift build --product gatehouse-queuecheck")
  }
}

extension OpenFile {
  /// Which of some texts the file holds. A part of it is in memory at a time.
  fileprivate borrowing func found(of texts: [String]) throws(SystemError) -> Set<String> {
    var missing = texts.map { (text: $0, bytes: Array($0.utf8)) }
    var offset: UInt64 = 0
    let overlap = (missing.map(\.bytes.count).max() ?? 1) - 1
    while !missing.isEmpty {
      let part = try read(at: offset, count: 4 << 20)
      missing.removeAll { part.holds($0.bytes) }
      if part.count <= overlap { break }
      offset += UInt64(part.count - overlap)
    }
    return Set(texts).subtracting(missing.map(\.text))
  }
}

extension [UInt8] {
  fileprivate func holds(_ text: [UInt8]) -> Bool {
    guard let first = text.first else { return true }
    var start = 0
    while let index = span.firstIndex(of: first, from: start) {
      if self[index...].starts(with: text) { return true }
      start = index + 1
    }
    return false
  }
}
