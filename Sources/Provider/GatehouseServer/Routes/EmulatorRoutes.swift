import GatehouseBase
import GatehouseLocal
import IdentityToolkit

extension Route {
  /// The routes that only an emulator has, for tests. They require no credential.
  static var ofEmulator: [Route] {
    let project = "/emulator/v1/projects/{project}"
    let emulator: JSONObject = [
      "authEmulator": ["ready": true, "docs": "https://firebase.google.com/docs/emulator-suite"]
    ]
    var routes = [open("GET", "/") { _ in ServerResponse(json: emulator) }]
    for place in ["\(project)/", "\(project)/tenants/{tenant}/"] {
      routes += [
        open("DELETE", place + "accounts", absent: [:]) { try await $0.deleteAccounts() },
        open("GET", place + "oobCodes", absent: ["oobCodes": []]) { try await $0.codes() },
        open("GET", place + "verificationCodes", absent: ["verificationCodes": []]) { try await $0.phoneCodes() },
      ]
    }
    routes.append(open("GET", "/emulator/action") { try await $0.applyCode() })
    return routes + ofEmulatorPages + ofEmulatorConfiguration
  }
}

extension RoutedRequest {
  /// Deletes the accounts of the project, or of one of its tenants.
  fileprivate func deleteAccounts() async throws -> ServerResponse {
    try await scene.provider.deleteAccounts(ofTenant: parameters["tenant"] ?? "", by: .emulator)
    return ServerResponse(json: [:])
  }

  fileprivate func phoneCodes() async throws -> ServerResponse {
    let texts = scene.texts
    let usable = try await usable(texts.compactMap(\.sessionInfo))
    let codes = texts.filter { $0.sessionInfo.map(usable.contains) == true }.map { text -> JSONValue in
      [
        "phoneNumber": .string(text.phoneNumber), "code": .string(text.code.revealed),
        "sessionInfo": .string(text.sessionInfo?.revealed ?? ""),
      ]
    }
    return ServerResponse(json: ["verificationCodes": .array(codes)])
  }

  private func usable(_ codes: [Secret]) async throws(AuthError) -> Set<Secret> {
    try await scene.provider.usable(codes, ofTenant: parameters["tenant"] ?? "")
  }

  fileprivate func codes() async throws -> ServerResponse {
    let messages = scene.messages
    let usable = try await usable(messages.map(\.code))
    // Firebase's emulator sends neither messages without a code, nor those about a second factor.
    let listed = messages.filter { usable.contains($0.code) && $0.type != .revertSecondFactorAddition }
    let codes = try listed.map { message -> JSONValue in
      var code: JSONObject = [
        "email": .string(message.recipient), "requestType": .string(message.type.rawValue),
        "oobCode": .string(message.code.revealed), "oobLink": .string(try emulatorLink(message.link)),
      ]
      code["newEmail"] = message.newEmail.map(JSONValue.string)
      return .object(code)
    }
    return ServerResponse(json: ["oobCodes": .array(codes)])
  }

  /// The address of the emulator's own page for a message's link.
  func emulatorLink(_ link: Secret) throws(Refusal) -> String {
    "\(try publicURL)/emulator/action\(link.revealed.drop { $0 != "?" })"
  }

  /// Applies the code of a message's link, like the page of an app. Redirects only to the page that the message names:
  /// another person may have sent the user to any address.
  fileprivate func applyCode() async throws -> ServerResponse {
    guard let code = item("oobCode").map({ Secret($0) }) else {
      throw Refusal(AuthError(server: .missingOOBCode))
    }
    var routed = self
    // The link names no project.
    for scene in await scene.all where scene.messages.contains(where: { $0.code == code }) { routed.scene = scene }
    return try await routed.apply(code)
  }

  private func apply(_ code: Secret) async throws -> ServerResponse {
    let link = scene.messages.last { $0.code == code }?.link.revealed
    let sent = String(link?.drop { $0 != "?" }.dropFirst() ?? "")
    let items = (try? FormEncoding.decode(sent, limits: scene.options.json)) ?? []
    let page = items.first { $0.name == "continueUrl" }?.value
    let mode = item("mode") ?? ""
    let done: String
    var email: String?
    switch mode {
    case "resetPassword":
      guard let password = item("newPassword") else {
        throw Refusal.invalid("add &newPassword=NEW_PASSWORD to the address")
      }
      var call = ResetPassword(oobCode: code, newPassword: Secret(password))
      call.tenantId = item("tenantId")
      email = try await backend.answer(call).email
      done = "The password has been changed."
    case "verifyEmail", "verifyAndChangeEmail", "recoverEmail", "revertSecondFactorAddition":
      var call = Update(oobCode: code)
      (call.tenantId, call.password) = (item("tenantId"), item("password").map { Secret($0) })
      email = try await backend.answer(call).email
      done = "The address has been verified."
    case "signIn":
      guard link != nil else { throw AuthError(server: .invalidOOBCode) }
      guard let page else { throw Refusal(AuthError(server: .missingContinueURI)) }
      return .redirect(to: WebAddress.adding(query: sent, to: page))
    default: throw Refusal.invalid("the mode is none that the emulator knows")
    }
    if let page { return .redirect(to: page) }
    var answer: JSONObject = ["success": .string(done)]
    answer["email"] = email.map(JSONValue.string)
    return ServerResponse(json: ["authEmulator": .object(answer)])
  }
}

extension RouteScene {
  fileprivate var messages: [OutgoingMessage] { options.emulator?.messages ?? [] }
  fileprivate var texts: [OutgoingText] { options.emulator?.texts ?? [] }
}

extension ServerResponse {
  /// Returns a redirect to another page. Refuses a URL with characters other than visible ASCII, which could end the
  /// header field.
  fileprivate static func redirect(to page: String) -> ServerResponse {
    guard page.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return Refusal.invalid("continueUrl").response }
    return ServerResponse(status: 303, headers: ["Location": page])
  }
}
