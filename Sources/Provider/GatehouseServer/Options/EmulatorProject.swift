public import GatehouseLocal

/// One project of an emulator: its identity provider, and the outbox of its messages.
public struct EmulatorProject: Sendable {
  /// The provider. Its `LocalOptions.projectID` must be the project's name.
  public let provider: LocalBackend
  /// The outbox that `LocalOptions.keepMessages()` of the provider's options has returned.
  public let outbox: EmulatorOutbox

  /// Makes a project's provider, which opens its folder at the first call.
  ///
  /// - Parameters:
  ///   - name: the project's name, for which `isName(_:)` is true.
  ///   - begins: whether to begin a project that does not exist. If not, the function returns `nil` for such a one.
  public typealias Maker = @Sendable (_ name: String, _ begins: Bool) async throws -> EmulatorProject?

  /// Whether a text can name a project of an emulator: 1 to 63 ASCII letters, digits, `-`, `_` and `.`, of which the
  /// first is no period. So it can be the name of a folder.
  public static func isName(_ text: String) -> Bool {
    (1...63).contains(text.utf8.count) && !text.hasPrefix(".")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// Combines the two.
  public init(provider: LocalBackend, outbox: EmulatorOutbox) {
    (self.provider, self.outbox) = (provider, outbox)
  }
}
