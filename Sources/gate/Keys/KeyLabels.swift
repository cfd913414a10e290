import ArgumentParser
import GatehouseJOSE

/// `--kid`, `--alg` and `--use`: the labels of a key that a JWK contains, and PEM does not.
struct KeyLabels: ParsableArguments {
  enum Use: String, ExpressibleByArgument, CaseIterable { case sig, enc }

  @Option(help: ArgumentHelp("The key's name; else its thumbprint (RFC 7638).", valueName: "name"))
  var kid: String?
  @Option(help: ArgumentHelp("The one algorithm that the key is for: ES256, RSA-OAEP-256, …", valueName: "name"))
  var alg: String?
  @Option(help: "What the key is for: signatures or encryption.")
  var use: Use?

  var areGiven: Bool { kid != nil || alg != nil || use != nil }

  func validate() throws {
    if let kid, !(1...256).contains(kid.utf8.count) { throw ValidationError("--kid has 1 to 256 bytes") }
    switch try algorithm() {
    case .signature? where use == .enc: throw ValidationError("--alg is for signatures, and --use for encryption")
    case .encryption? where use == .sig: throw ValidationError("--alg is for encryption, and --use for signatures")
    default: break
    }
  }

  /// The algorithm that `--alg` names.
  func algorithm() throws -> JWK.Algorithm? {
    guard let alg else { return nil }
    switch JWK.Algorithm(rawValue: alg) {
    case nil: throw ValidationError("--alg names no algorithm that is known here")
    case .contentEncryption?: throw ValidationError("--alg encrypts messages, and a key is for dir")
    case let algorithm?: return algorithm
    }
  }

  /// Returns the key with these labels. It keeps its own labels for those that are not given, and always gets a key ID.
  func applied(to key: JWK) throws -> JWK {
    var labelled = try key.relabelled(algorithm: algorithm() ?? key.algorithm, use: use?.rawValue ?? key.use)
    if let kid { labelled.keyID = kid }
    return try labelled.named()
  }
}
