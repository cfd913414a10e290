import Testing

/// Identifiers are compared as bytes: `==`, a set and a dictionary of strings take é and e+◌́ for equal, and would take
/// one of two accounts for the other.
struct IdentifierBytesTests {
  private static let names = [
    "uid", "localId", "userID", "tenant", "tenantId", "tenantID", "provider", "providerId", "providerID", "keyID",
    "kid",
    "email", "phoneNumber", "factorID", "mfaEnrollmentId", "rawId", "subject", "issuer", "audience", "scope", "sid",
    "sessionID", "project", "projectID", "clientID", "account", "name", "id", "alias",
  ].joined(separator: "|")

  /// An ASCII literal without the letters that another character equals (K, `;` and the grave accent) is as good as
  /// bytes, and so is `nil`, an empty text, a number and a member of an enumeration.
  private static let harmless = #"(?!nil\b|\.|-?\d|"[^"K;`]*"|true\b|false\b|UInt8\()"#
  private static let patterns = [
    // A set or a dictionary of strings, and a set of identifiers.
    #"Set<String>|\[String: |Dictionary<String|\bSet\([^\n]*\\\.(?:\#(names))\b|\bSet\((?:names|ids|uids|keys|texts)\)"#,
    // A key that has identifiers in it, and compares them as strings.
    #"\[IdentityProvider: |Set<IdentityProvider>"#,
    // A comparison of an identifier with what is no harmless literal, on either side.
    #"\b(?:\#(names))[?!]?\)?\s*(?:==|!=)\s*\#(harmless)["\w(]"#,
    #"(?:==|!=)\s(?:[\w$]+[?!]?\.)*(?:\#(names))\b(?![\w.(])"#,
    // A list that is searched for an identifier.
    #"[^8]\.contains\((?:[\w$]+[?!]?\.)*(?:\#(names))\)"#,
    #"(?:first|last)Index\(of:\s(?:[\w$]+[?!]?\.)*(?:\#(names))\)"#,
  ]

  /// The lines that compare strings, and the reason why no two identifiers can be taken for one: a part of the path, and
  /// a part of the line.
  private static let reasons: [(path: String, line: String, reason: String)] = [
    ("Sources/Agent/", "accounts", "AccountName.check: names of accounts are ASCII"),
    ("Sources/Agent/GatehouseAgent/Engine/TokensAtHand.swift", "tokens", "AccountName.check"),
    ("Sources/Agent/GatehouseAgentServer/AgentSettings.swift", "files", "AccountName.check"),
    ("Sources/Agent/GatehouseAgentServer/AgentAnswers.swift", "", "names of the protocol, which are ASCII literals"),
    ("Sources/Agent/GatehouseAgentServer/AgentFigures.swift", "states.count", "names of states are ASCII literals"),
    ("Sources/gate/Agent/", "", "AccountName.check, and paths of files that the settings name for it"),
    ("Sources/gate/UnknownCommand.swift", "", "names of commands, for advice"),
    ("Sources/gate/Home/Home+Settings.swift", "standards", "names of settings"),
    ("Sources/gate/Home/Home+Server.swift", "path +", "the path of a folder: another spelling is another home"),
    ("Sources/gate/SecondFactors/", "factorID", "the kinds of factors are ASCII literals"),
    ("Sources/gate/Commands/LinkCommand.swift", "EmailAuthProvider.id", "an ASCII literal"),
    ("Sources/gate/Commands/SecondFactorsEnrollCommand.swift", "before.contains", "a set of ExactText"),
    ("Sources/Auth/Gatehouse/Firebase/SignInDetails.swift", "userInfo", "the keys of Firebase, ASCII literals"),
    ("Sources/Auth/Gatehouse/Firebase/SignInDetails.swift", "info", "the keys of Firebase, ASCII literals"),
    ("Sources/Base/GatehouseBase/Errors/", "nfo", "the keys of Foundation, ASCII literals"),
    ("Sources/Auth/GatehouseAdmin/Tenants/Tenant.swift", "testPhoneNumbers", "the public form of Google: ASCII digits"),
    ("Sources/Auth/GatehouseCore/SignIn/SignIns.swift", "session.name", "SessionShelf.Name compares bytes"),
    ("Sources/Base/GatehouseBase/Store/SessionShelf+Changes.swift", "", "SessionShelf.Name compares bytes"),
    ("Sources/Auth/IdentityToolkit/CustomClaims.swift", "reserved", "ASCII literals: refuses more"),
    ("Sources/Provider/GatehouseConfiguration/", "", "SettingFamily.allows: names of settings are ASCII"),
    (
      "Sources/Provider/GatehouseFirebase/App/FirebaseApp.swift", "FirebaseApp",
      "Firebase's form: names of this program"
    ),
    ("Sources/Provider/GatehouseFirebase/App/FirebaseApp.swift", "CurrentProcess.id", "a number"),
    ("Sources/Provider/GatehouseFirebase/Values/Claims.swift", "String: Any", "Firebase's form of claims"),
    ("Sources/Provider/GatehouseFirebase/Values/Claims.swift", "members", "Firebase's form of claims"),
    ("Sources/Provider/GatehouseLocal/Accounts/NetworkAttempts.swift", "open", "networks are ASCII"),
    ("Sources/Provider/GatehouseLocal/Parts/IdentityAttempts.swift", "open", "networks are ASCII"),
    ("Sources/Provider/GatehouseLocal/Administration/AccountAdministration.swift", "methods.contains", "ExactText"),
    (
      "Sources/Provider/GatehouseLocal/Administration/AccountAdministration.swift", "Session.byPassword",
      "ASCII literals"
    ),
    ("Sources/Provider/GatehouseLocal/Calls/ImportDraft.swift", "Session.byPassword", "ASCII literals"),
    ("Sources/Provider/GatehouseLocal/Calls/Updating.swift", "unlinked.contains", "a set of ExactText"),
    ("Sources/Provider/GatehouseLocal/Administration/PhoneFactorList.swift", "wanted.contains", "a set of ExactText"),
    ("Sources/Provider/GatehouseLocal/Parts/SecondFactors.swift", "Session.", "ASCII literals"),
    ("Sources/Provider/GatehouseLocal/Tokens/IDTokenClaims.swift", "Self.anonymous", "an ASCII literal"),
    ("Sources/Provider/GatehouseLocal/Messages/MessageTemplates.swift", "values", "placeholders, ASCII literals"),
    ("Sources/Provider/GatehouseLocal/Parts/Messages.swift", "[String: MessageValue]", "placeholders, ASCII literals"),
    ("Sources/Provider/GatehouseLocal/Audit/ChangedNames.swift", "DatabaseValue", "names of columns, ASCII literals"),
    ("Sources/Provider/GatehouseLocal/Options/PhoneRegions.swift", "String", "digits, and codes of regions in ASCII"),
    ("Sources/Provider/GatehouseLocal/Options/TextRegions.swift", "Set<String>", "codes of regions in ASCII"),
    ("Sources/Provider/GatehouseLocal/Options/ProviderEnvironment.swift", "protectedTenants", "tenant IDs are ASCII"),
    ("Sources/Provider/GatehouseLocal/Parts/Resources.swift", "protectedTenants", "tenant IDs are ASCII"),
    (
      "Sources/Provider/GatehouseLocal/Options/SecondFactorRules.swift", "kinds", "the kinds of factors, ASCII literals"
    ),
    ("Sources/Provider/GatehouseLocal/Parts/DocumentForm.swift", "", "members of documents, ASCII literals"),
    ("Sources/Provider/GatehouseLocal/Transfer/", "ignored", "names of members, for a message"),
    ("Sources/Provider/GatehouseLocal/Transfer/UserFileHash.swift", "names", "names of parameters, ASCII literals"),
    ("Sources/Provider/GatehouseServer/Metrics/", "", "names of metrics, methods and words of errors are ours"),
    ("Sources/Provider/GatehouseServer/Routes/", "parameters", "the names of our routes' parameters"),
    ("Sources/Provider/GatehouseServer/Routes/RoutePath.swift", "[String: String]", "the names of our parameters"),
    ("Sources/Provider/GatehouseServer/Routes/CallRoutes.swift", "", "members of calls, ASCII literals"),
    ("Sources/Provider/GatehouseServer/Routes/EmulatorProjects.swift", "", "EmulatorProject.allows: names are ASCII"),
    ("Sources/Provider/GatehouseServer/Routes/RoutedRequest+Tenant.swift", "tenant_id", "ASCII literals"),
    ("Sources/Provider/GatehouseServer/Decoding/", "", "names of members that the protocol has, ASCII literals"),
    ("Sources/Provider/GatehouseServer/Answers/JSONAnswer.swift", "JSONValue", "members that we add"),
    ("Sources/Tokens/GatehouseHTTP/Messages/TransportHeaders.swift", "harmless", "names of fields are ASCII"),
    ("Sources/Tokens/GatehouseJOSE/RemoteKeys/FetchedKeys.swift", "mediaTypes", "ASCII literals"),
    ("Sources/Tokens/GatehouseJOSE/Verification/AcceptedIssuer.swift", "values?.contains", "lists of bytes"),
  ]

  private static let modules = [
    "Sources/Provider/", "Sources/Auth/", "Sources/Agent/", "Sources/Base/GatehouseBase/",
    "Sources/Tokens/GatehouseJOSE/",
    "Sources/Tokens/GatehouseHTTP/", "Sources/gate/",
  ]

  private static func faults(in file: SourceFile) throws -> [String] {
    try patterns.flatMap { try file.places(of: $0) }.filter { place in
      !reasons.contains { file.path.hasPrefix($0.path) && ($0.line.isEmpty || place.contains($0.line)) }
    }
  }

  @Test func `every comparison of identifiers compares bytes, or has a reason`() throws {
    for file in try Repository.sources(in: "Sources")
    where Self.modules.contains(where: file.path.hasPrefix) && !file.path.contains("/QueueCheck/") {
      for place in try Self.faults(in: file) {
        Issue.record("\(place)\nuse isExactly or ExactText, or write the reason into this test's list")
      }
    }
  }

  @Test(arguments: [
    "var seen: Set<String> = []", "var accounts: [String: Account] = [:]", "let known = Set(users.map(\\.uid))",
    "if account.uid == other.uid { return }", "guard tenant != account.tenant else", "if known == user.localId {",
    "uids.contains(user.uid)", "names.firstIndex(of: key.keyID)", "if provider == name {", #"keyID == "Key""#,
    "Set(names).count", "Lock<[IdentityProvider: RemoteTokenVerifier]>([:])",
  ])
  func `such a line is found`(line: String) throws {
    #expect(try !Self.faults(in: SourceFile(path: "Sources/Provider/A.swift", text: line)).isEmpty)
  }

  @Test(arguments: [
    "var seen: Set<ExactText> = []", "account.uid.isExactly(other.uid)", #"if provider == "phone" {"#,
    "account.email == nil", "uid.utf8.contains(0)", "factor.kind == .phone", "users.map(\\.uid).exactly",
    "range.contains(name.utf8.count)", "Set(old.map(\\.enrolledAt))",
  ])
  func `other lines are not`(line: String) throws {
    #expect(try Self.faults(in: SourceFile(path: "Sources/Provider/A.swift", text: line)).isEmpty)
  }
}
