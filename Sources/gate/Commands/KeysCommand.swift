import ArgumentParser
import GatehouseBase
import GatehouseLocal

/// `gate keys`
struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "List, rotate and revoke the keys that sign the provider's tokens.",
    discussion: "For keys in files there is gate key, and for the public keys gate jwks.",
    subcommands: [KeysListCommand.self, KeysRotateCommand.self, KeysRevokeCommand.self])
}

/// `gate keys list`
struct KeysListCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the signing keys: the next one, the one that signs, those that only verify.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let keys = try await home.home().administer { backend throws(AuthError) in try await backend.keyRecords() }
    try answer.write(keys.lines(at: SystemClocks().wall), json: keys.json)
  }
}

/// `gate keys rotate`
struct KeysRotateCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Make the next signing key.",
    discussion: """
      The new key is published at once and signs an hour later, so that every verifier has it by then. The present key \
      verifies until its last token has expired, then it is removed. Programs that have the home open follow. With \
      --now the new key, or the next one that is published already, signs at once. Verifiers that cache the key set \
      may refuse its tokens until they ask again. A key that may be in wrong hands is ended by gate keys revoke.
      """)

  @Flag(help: "Sign with the new key at once.") var now = false
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let keys = try await home.home().administer { backend throws(AuthError) in
      try await backend.rotateKeys(atOnce: now)
    }
    try answer.write(keys.lines(at: SystemClocks().wall), json: keys.json)
  }
}

/// `gate keys revoke KID`
struct KeysRevokeCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "End a signing key that may be in wrong hands.",
    discussion: """
      The key is removed at once, and the provider refuses its tokens; where it signed, the next key or a new one \
      does. Sessions go on and get new tokens. Verifiers that cache the key set accept the key until they ask again. \
      A backup from before has the key: revoke it again after a restore. A name that begins with a \
      hyphen is written behind --.
      """)

  @Argument(help: ArgumentHelp("The key's name, as gate keys list shows it.", valueName: "kid")) var keyID: String
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func validate() throws {
    if keyID.isEmpty { throw ValidationError("the key's name is empty") }
  }

  func run() async throws {
    let keys = try await home.home().administer { backend throws(AuthError) in try await backend.revokeKey(keyID) }
    try answer.write("revoked: \(keyID)\n\(keys.lines(at: SystemClocks().wall))", json: keys.json)
  }
}

extension [KeyRecord] {
  /// One line for each key, for people to read.
  fileprivate func lines(at now: Double) -> String {
    map { key in
      let moment: (String, Int64?) =
        switch key.state {
        case .next: ("next, signs from", key.signsFrom)
        case .signing: ("signs since", key.signsFrom)
        case .retired: ("retired, verifies until", key.verifiesUntil)
        }
      let when = moment.1.flatMap { Moment(.number(JSONNumber($0))) }?.text(seenAt: now) ?? "ever"
      return "\(key.keyID) \(key.algorithm) \(moment.0) \(when)"
    }.table
  }

  /// For programs. Times are in seconds since 1970.
  fileprivate var json: JSONObject {
    let keys = map { key in
      var json: JSONObject = [
        "kid": .string(key.keyID), "algorithm": .string(key.algorithm), "state": .string(key.state.rawValue),
        "created": .number(JSONNumber(key.createdAt)), "signsFrom": .number(JSONNumber(key.signsFrom)),
      ]
      json["verifiesUntil"] = key.verifiesUntil.map { .number(JSONNumber($0)) }
      return JSONValue.object(json)
    }
    return ["keys": .array(keys)]
  }
}
