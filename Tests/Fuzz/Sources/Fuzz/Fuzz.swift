import CFuzzer
import Foundation

/// The program that scripts/fuzz builds and runs. It fuzzes the target that it is called by: libFuzzer starts itself
/// again at times, under the name that it was given.
///
///   TARGET [libFuzzer's options and corpora]
///   Fuzz --list                      the targets, with the longest input in bytes, and from when on one hangs in seconds
///   Fuzz --seed FOLDER [FROM…]       writes what to begin with into a folder for each target, found in others
@main
struct Fuzz {
  static var targets: [any Target.Type] {
    [
      TokenTarget.self, HeaderTarget.self, ClaimsTarget.self, MessageTarget.self, ProofTarget.self,
      EncryptedTarget.self, EncryptedJSONTarget.self,
      KeyTarget.self, KeySetTarget.self, PEMTarget.self, CertificateTarget.self, JSONTarget.self, Base64Target.self,
      RequestTarget.self,
    ]
  }

  static func main() throws {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "--list"?:
      for target in targets { print(target.name, target.longest, target.patience) }
    case "--seed"? where arguments.count >= 3:
      let harvest = Harvest(from: Array(arguments.dropFirst(3)))
      for target in targets { try SeedFolder(arguments[2], target.name).write(target.seeds(from: harvest)) }
    default:
      let name = URL(fileURLWithPath: arguments[0]).lastPathComponent
      guard let target = targets.first(where: { $0.name == name }) else {
        FileHandle.standardError.write(Data("There is no target \(name): run scripts/fuzz.\n".utf8))
        exit(2)
      }
      run(target)
    }
  }

  private static func run(_ target: any Target.Type) {
    chosen = target.check
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
        Fuzz.chosen(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
      })
  }

  /// libFuzzer takes a function, which captures nothing. Set once, before it starts, and called by one thread.
  nonisolated(unsafe) private static var chosen: ([UInt8]) -> Void = { _ in }
}
