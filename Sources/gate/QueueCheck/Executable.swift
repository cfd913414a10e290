import Foundation
import GatehouseBase

/// The program that is to be watched.
struct Executable: Sendable {
  let path: String

  /// Finds it as a shell would. Throws `.invalidArgument` when there is none.
  init(named name: String) throws(AuthError) {
    let folders =
      name.contains("/")
      ? [""] : (Spawn.environmentValue("PATH") ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/" }
    guard let found = folders.map({ $0 + name }).first(where: Self.isProgram) else {
      throw AuthError(.invalidArgument, "there is no program \(name)")
    }
    path = found
  }

  private static func isProgram(_ path: String) -> Bool {
    // A plain file: a pipe would be read for ever.
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return FileManager.default.isExecutableFile(atPath: path)
      && (try? FileManager.default.attributesOfItem(atPath: target))?[.type] as? FileAttributeType == .typeRegular
  }

  /// Why nothing that the program waits for can be seen; nil when it can.
  ///
  /// A library is preloaded by the dynamic linker, before libraries only: what is linked into the program itself is not
  /// seen.
  var obstacle: String? {
    guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped),
      bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46])
    else { return nil }
    func holds(_ text: String) -> Bool { bytes.range(of: Data(text.utf8)) != nil }
    guard holds("ld-linux") || holds("/ld-musl") else {
      return "it is linked statically, and nothing can be preloaded into it"
    }
    // A name that dispatch gives to one of its own queues; and the library as one that is to be loaded.
    if holds("com.apple.libdispatch-manager\0"), !holds("libdispatch.so") {
      return "dispatch is linked into it (-static-stdlib), and waits in it cannot be seen; link it without that option"
    }
    return nil
  }

  /// The library to preload: beside this program, or in the folder `lib` beside its own.
  static func monitor() throws(AuthError) -> String {
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let places = [own, own.deletingLastPathComponent().appendingPathComponent("lib")]
    for place in places {
      let path = place.appendingPathComponent(ProgramImages.ownName).path
      if FileManager.default.fileExists(atPath: path) { return path }
    }
    throw AuthError(
      .invalidArgument,
      "\(ProgramImages.ownName) is not beside gate; build it with: swift build --product gatehouse-queuecheck")
  }
}
