import FoundationEssentials
import GatehouseBase
import GatehouseHTTP
import IdentityToolkit

/// A call of the protocol at all paths that clients use for it.
struct CallRoute: Sendable {
  let routes: [Route]

  /// - Parameters:
  ///   - type: the call.
  ///   - kind: the `kind` of the answer, without `identitytoolkit#`; `nil` if the protocol has no such member.
  ///   - legacy: the name of the call in version 3 of the protocol, if it has one. All calls there are POST.
  ///   - endpoint: another endpoint of the same call, if there is one.
  ///   - absent: the answer for a project of an emulator that does not exist yet; `nil` if the call begins it.
  ///   - missing: the protocol's defaults for members that a request omits.
  ///   - refusing: members that this caller may not send, each with the protocol's refusal.
  ///   - requiring: the members that a request must have, and how one without is refused.
  ///   - closed: the members of objects in which no other member is allowed, by the object's name; `""` is the request.
  ///     A misspelled member counts as omitted, and there, omitting one means "all".
  ///   - adding: additional members of the answer, or other values of its members.
  init<C: Call>(
    _ type: C.Type, kind: String? = nil, legacy: String? = nil, also endpoint: String? = nil,
    absent: ServerResponse? = nil, missing: JSONObject = [:],
    refusing: KeyValuePairs<String, AuthError> = [:], requiring: KeyValuePairs<String, AuthError> = [:],
    closed: [String: Set<String>] = [:],
    adding: @escaping @Sendable (C.Response, RoutedRequest) throws -> [String: JSONValue] = { _, _ in [:] }
  ) {
    let answer: @Sendable (RoutedRequest) async throws -> ServerResponse = { routed in
      let call = try routed.call(type, missing: missing, refusing: refusing, requiring: requiring, closed: closed)
      let kind = kind.map { "identitytoolkit#\($0)" }
      let response: C.Response
      do throws(AuthError) { response = try await routed.backend.answer(call) } catch {
        guard let pending = error.pendingSignIn else { throw error }
        return try ServerResponse(WaitingSignIn(pending, email: error.email), kind: kind)
      }
      var answer = try ServerResponse(response, kind: kind, adding: try adding(response, routed))
      await routed.addDevice(to: &answer)
      return answer
    }
    let access: Route.Access = type is any AdminCall.Type ? .administrator : .key
    func route(_ method: String, _ path: String) -> Route {
      Route(
        method: method, path: RoutePath(path), access: access, isImport: type is ImportAccounts.Type,
        absent: absent, call: { try $0.call(type, missing: missing, closed: closed) }, answer: answer)
    }
    let old = legacy.map { "identitytoolkit/v3/relyingparty/\($0)" }.map { ["/www.googleapis.com/\($0)", "/\($0)"] }
    routes =
      Self.paths(of: type, also: endpoint).map { route(type.method.name, $0) } + (old ?? []).map { route("POST", $0) }
  }

  /// Returns the paths of a call: below the host's name, as in the emulator, and without it, as on the host itself.
  private static func paths<C: Call>(of type: C.Type, also endpoint: String?) -> [String] {
    var endpoints = [C.endpoint] + (endpoint.map { [$0] } ?? [])
    if C.self is any AdminCall.Type {
      // In a tenant; and without a project, because an emulator's administrators use the paths of clients.
      endpoints.append(C.endpoint.replacing("{project}", with: "{project}/tenants/{tenantId}"))
      endpoints.append(C.endpoint.replacing("projects/{project}/", with: ""))
    }
    return Set(endpoints).sorted().flatMap { endpoint in
      let host = endpoint.prefix { $0 != "/" }
      return ["/\(endpoint)"] + (host.hasSuffix(".googleapis.com") ? [String(endpoint.dropFirst(host.count))] : [])
    }
  }
}

extension RoutedRequest {
  /// Returns the project that the request names; `nil` if it names none. Only an emulator's administrators, who use the
  /// paths of clients, may name one in the body.
  ///
  /// Throws a refusal of a body that cannot be read: it might name another project than the server's own.
  func project(isImport: Bool) throws -> String? {
    if let project = parameters["project"] { return project }
    guard isAdministrator, scene.projects != nil else { return nil }
    guard let name = try members(limits(isImport: isImport), readsForms: true).member("targetProjectId"), !name.isNull
    else { return nil }
    guard let text = name.string else { throw Refusal.wrongProjectName }
    return text
  }

  /// The limits of the body's JSON. Only an administrator's import can have passed with a longer body.
  private func limits(isImport: Bool) -> JSONLimits {
    var limits = scene.options.json
    if isImport { limits.bytes = max(limits.bytes, scene.options.importLength) }
    return limits
  }

  /// Returns the call that a request makes.
  ///
  /// - Throws: a `Refusal` that names the missing or invalid member, but not its value.
  func call<C: Call>(
    _ type: C.Type, missing: JSONObject = [:], refusing: KeyValuePairs<String, AuthError> = [:],
    requiring: KeyValuePairs<String, AuthError> = [:], closed: [String: Set<String>] = [:]
  ) throws -> C {
    var members = try members(
      limits(isImport: type is ImportAccounts.Type), readsForms: type is ExchangeRefreshToken.Type)
    try requireOneTenant(members.member("tenantId"))
    for (name, known) in closed {
      let value = name.isEmpty ? .object(members) : members.member(name)
      for object in value?.array?.map(\.object) ?? [value?.object] { try object?.requireOnly(known) }
    }
    for (name, refusal) in refusing {
      // A member with the protocol's default is like one that was omitted.
      guard let value = members.member(name), value != missing[name] else { continue }
      throw refusal
    }
    for (name, refusal) in requiring where members.member(name)?.isNull ?? true { throw refusal }
    if let tenant = parameters["tenantId"] { (members["tenant_id"], members["tenantId"]) = (nil, .string(tenant)) }
    for member in missing.members where members.member(member.name) == nil { members[member.name] = member.value }
    let unreadable = type is ImportAccounts.Type ? members.takeUnreadableAccounts() : [:]
    do {
      let call = localized(try RequestDecoder.decode(type, from: members))
      guard !unreadable.isEmpty, var accounts = call as? ImportAccounts else { return call }
      for (index, fault) in unreadable { accounts.users[index] = ImportedAccount(fault: fault) }
      return accounts as? C ?? call
    } catch let error as DecodingError {
      throw Refusal.of(error)
    }
  }

  /// Returns the members of a request: its query, for a GET request; otherwise its body, as JSON or as a form.
  private func members(_ limits: JSONLimits, readsForms: Bool) throws -> JSONObject {
    if request.method == "GET" { return try .of(query.filter { !$0.name.isExactly("key") }) }
    guard !request.body.isEmpty else { return [:] }
    guard !request.isForm || readsForms else { throw Refusal.form }
    if request.isForm { return try .of(request.form(limits)) }
    do throws(AuthError) { return try JSONObject(reading: request.body, limits: limits) } catch {
      throw Refusal.unreadable(error.message)
    }
  }

  /// Returns the call with the language of the request's header, if it is one. Messages' links have it, and a stranger
  /// may choose it: other text is ignored.
  private func localized<C: Call>(_ call: C) -> C {
    guard let language = request.value(of: .locale), language.isLanguageTag,
      var localized = call as? any LocalizedCall
    else { return call }
    localized.locale = language
    return localized as? C ?? call
  }
}

extension String {
  /// Whether this has the form of a language tag (BCP 47; some clients write `de_AT`).
  fileprivate var isLanguageTag: Bool {
    (1...35).contains(utf8.count) && utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
  }
}

extension JSONObject {
  /// Replaces an import's unreadable accounts with empty ones.
  ///
  /// - Returns: The reasons, by index.
  fileprivate mutating func takeUnreadableAccounts() -> [Int: String] {
    guard var users = member("users")?.array else { return [:] }
    var faults: [Int: String] = [:]
    for (index, user) in users.enumerated() {
      do { _ = try RequestDecoder(user).decode(ImportedAccount.self) } catch {
        let refusal = (error as? DecodingError).map { Refusal.of($0) } ?? error as? Refusal
        faults[index] = refusal?.message ?? "the account cannot be read"
        users[index] = .object([:])
      }
    }
    if !faults.isEmpty { self["users"] = .array(users) }
    return faults
  }

  /// Makes an object from the items of a form or a query.
  ///
  /// - Throws: A refusal if a name occurs twice, because two readers could use different items.
  fileprivate static func of(_ items: [(name: String, value: String)]) throws(Refusal) -> JSONObject {
    guard let object = JSONObject(distinct: items) else { throw .invalid("a parameter is there twice") }
    return object
  }
}

extension Refusal {
  /// Returns the refusal of a call with invalid members.
  static func of(_ error: DecodingError) -> Refusal {
    switch error {
    case .keyNotFound(let key, let context):
      if let word = missing[key.stringValue.camelCased] { return Refusal(AuthError(server: word)) }
      return invalid("\((context.codingPath + [key]).text) is missing")
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      return unreadable("The value of \(context.codingPath.text) is not one that it can have")
    @unknown default: return invalid("the request cannot be read")
    }
  }

  /// The protocol's error codes for missing members.
  private static let missing: [String: ServerWord] = [
    "email": .missingEmail, "password": .missingPassword, "idToken": .invalidIDToken,
    "oobCode": .missingOOBCode, "requestType": .missingReqType, "phoneNumber": .missingPhoneNumber,
    "sessionInfo": .missingSessionInfo, "code": .missingCode, "verificationCode": .missingCode,
    "mfaPendingCredential": .missingMFAPendingCredential, "mfaEnrollmentId": .missingMFAEnrollmentID,
    "identifier": .invalidIdentifier, "continueUri": .missingContinueURI, "grantType": .missingGrantType,
    "refreshToken": .missingRefreshToken,
  ]
}

extension [any CodingKey] {
  fileprivate var text: String { isEmpty ? "the whole" : map(\.stringValue).joined(separator: ".") }
}
