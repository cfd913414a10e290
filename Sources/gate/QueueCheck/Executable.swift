import Foundation
import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// The program to watch.
struct Executable: Sendable {
  let path: String

  /// Finds the program in the same way as a shell. Throws `.invalidArgument` if there is none.
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

  /// The reason why the program's waits cannot be seen; `nil` if they can.
  var obstacle: String? { Self.obstacle(at: path) }

  /// The same for the program at this path.
  ///
  /// The dynamic linker loads a preloaded library before the other libraries, but not before the program: calls to code
  /// that is linked into the program itself are not seen.
  static func obstacle(at path: String) -> String? {
    guard let file = ELFFile(path: path) else { return nil }
    guard file.isDynamic else { return "it is linked statically, and nothing can be preloaded into it" }
    if let status = try? FileStatus.at(path, followingLink: true), status.mode & 0o4000 != 0, !status.isOurs {
      return "it runs as another user (setuid), and nothing can be preloaded into it"
    }
    if let lost = sanitizers(of: file).first(where: { $0.path == nil }) {
      return "it is built with a sanitizer, whose library \(lost.name) was not found and must come first"
    }
    // The program contains the name of one of dispatch's own queues. Unlike the symbols, this name is not removed when
    // a program is stripped.
    let queue = "com.apple.libdispatch-manager\0"
    if !file.libraries.contains("libdispatch.so"), let bytes = try? OpenFile(path),
      (try? bytes.found(of: [queue]))?.contains(queue) == true
    {
      return "dispatch is linked into it (-static-stdlib), and waits in it cannot be seen; link it without that option"
    }
    return nil
  }

  /// The sanitizer libraries that the program needs. They must come first: a library that is preloaded before them ends
  /// the program. A sanitizer that is linked into the program needs none.
  var sanitizerLibraries: [String] { ELFFile(path: path).map(Self.sanitizers)?.compactMap(\.path) ?? [] }

  private static func sanitizers(of file: ELFFile) -> [(name: String, path: String?)] {
    let names = ["asan", "tsan", "hwasan", "msan", "lsan"].flatMap { ["lib\($0).so", "libclang_rt.\($0)"] }
    let usual =
      ["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"]
      + ["/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
    let given = GivenText.variable("LD_LIBRARY_PATH")?.split(separator: ":").map(String.init) ?? []
    let folders = file.libraryFolders + given + usual
    return file.libraries.filter { library in names.contains { library.hasPrefix($0) } }.map { name in
      (name, folders.map { "\($0)/\(name)" }.first { (try? FileStatus.at($0, followingLink: true))?.kind == .file })
    }
  }

  /// Returns the library to preload: beside this program, or in the folder `lib` beside this program's folder.
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
  /// Returns which of these texts are in the file. Only a part of the file is in memory at a time.
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
