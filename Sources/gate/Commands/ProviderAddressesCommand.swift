import ArgumentParser
import GatehouseBase
import GatehouseLocal

/// `gate provider addresses`
struct ProviderAddressesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "addresses", abstract: "List the accounts that lost their address to another account.",
    discussion: """
      An earlier version told two spellings of one address apart, in upper case or in another Unicode form. Where two \
      accounts had them, the older one has the address now. The other one keeps its user identifier and its sessions.
      """)

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    try home.requireProvider()
    let lost = try await home.withProvider { (provider) throws(AuthError) in
      try await typed { try await provider.lostAddresses() }
    }
    let lines = lost.map { "\($0.uid) lost \($0.email)\($0.keptBy.map { ", which \($0) has" } ?? ": it is not valid")" }
    try answer.write(
      lines.isEmpty ? "no account has lost its address" : lines.joined(separator: "\n"),
      json: ["lost": .array(lost.map { .object($0.json) })])
  }
}

extension LostAddress {
  fileprivate var json: JSONObject {
    var json: JSONObject = ["uid": .string(uid), "email": .string(email)]
    json["keptBy"] = keptBy.map(JSONValue.string)
    return json
  }
}
