import GatehouseBase

/// The name of an account: 1 to 64 ASCII letters, digits and `.`, `_`, `-`, of which the first is no period. So a name
/// can be part of a path, a URL and a command.
enum AccountName {
  static let advice = "take 1 to 64 of a-z, A-Z, 0-9, '.', '_' and '-', and no '.' first"

  static func check(_ name: String) throws(AuthError) {
    let isValid =
      (1...64).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: ".")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
    guard isValid else {
      throw AuthError(
        .invalidArgument,
        "'\(name.printable(upTo: 64))' cannot name an account; \(advice)")
    }
  }
}
