import GatehouseBase
import GatehouseLocal
import IdentityToolkit

extension Route {
  /// The routes that only an emulator has, for tests. They require no credential.
  static func ofEmulator(_ outbox: EmulatorOutbox) -> [Route] {
    let project = "/emulator/v1/projects/{project}"
    let emulator: JSONObject = [
      "authEmulator": ["ready": true, "docs": "https://firebase.google.com/docs/emulator-suite"]
    ]
    return [
      open("GET", "/") { _ in ServerResponse(json: emulator) },
      open("DELETE", "\(project)/accounts") { try await $0.deleteAccounts() },
      open("DELETE", "\(project)/tenants/{tenant}/accounts") { try await $0.deleteAccounts() },
      open("GET", "\(project)/oobCodes") { try $0.codes(of: outbox.messages) },
      open("GET", "\(project)/tenants/{tenant}/oobCodes") { try $0.codes(of: outbox.messages) },
      open("GET", "\(project)/verificationCodes") { _ in codes(of: outbox.texts) },
      open("GET", "\(project)/tenants/{tenant}/verificationCodes") { _ in codes(of: outbox.texts) },
      open("GET", "/emulator/action") { try await $0.applyCode(of: outbox.messages) },
    ] + ofEmulatorConfiguration
  }

  private static func codes(of texts: [OutgoingText]) -> ServerResponse {
    let codes = texts.map { text -> JSONValue in
      [
        "phoneNumber": .string(text.phoneNumber), "code": .string(text.code.revealed),
        "sessionInfo": .string(text.sessionInfo?.revealed ?? ""),
      ]
    }
    return ServerResponse(json: ["verificationCodes": .array(codes)])
  }
}

extension RoutedRequest {
  /// Deletes the accounts of the project, or of one of its tenants.
  fileprivate func deleteAccounts() async throws -> ServerResponse {
    let tenant = parameters["tenant"]
    var last: String?
    while true {
      let page = try await scene.provider.accounts(after: last)
      for account in page where tenant == nil || account.tenantID.map({ $0.isExactly(tenant ?? "") }) == true {
        // An account that was deleted meanwhile is not an error.
        do throws(AuthError) { _ = try await scene.provider.deleteAccount(.uid(account.uid)) } catch {
          guard error.code == .userNotFound else { throw error }
        }
      }
      guard let end = page.last?.uid else { return ServerResponse(json: [:]) }
      last = end
    }
  }

  fileprivate func codes(of messages: [OutgoingMessage]) throws(Refusal) -> ServerResponse {
    let page = "\(try publicURL)/emulator/action"
    // Firebase's emulator sends neither messages without a code, nor those about a second factor.
    let listed = messages.filter { !$0.code.revealed.isEmpty && $0.type != .revertSecondFactorAddition }
    let codes = listed.map { message -> JSONValue in
      let query = message.link.revealed.drop { $0 != "?" }
      var code: JSONObject = [
        "email": .string(message.recipient), "requestType": .string(message.type.rawValue),
        "oobCode": .string(message.code.revealed), "oobLink": .string(page + query),
      ]
      code["newEmail"] = message.newEmail.map(JSONValue.string)
      return .object(code)
    }
    return ServerResponse(json: ["oobCodes": .array(codes)])
  }

  /// Applies the code of a message's link, like the page of an app. Redirects only to the page that the message names:
  /// another person may have sent the user to any address.
  fileprivate func applyCode(of messages: [OutgoingMessage]) async throws -> ServerResponse {
    guard let code = item("oobCode").map({ Secret($0) }) else {
      throw Refusal(status: 400, message: "MISSING_OOB_CODE")
    }
    let link = messages.last { $0.code == code }?.link.revealed
    let sent = String(link?.drop { $0 != "?" }.dropFirst() ?? "")
    let items = (try? FormEncoding.decode(sent, limits: scene.options.json)) ?? []
    let page = items.first { $0.name == "continueUrl" }?.value
    let mode = item("mode") ?? ""
    let done: String
    switch mode {
    case "resetPassword":
      guard let password = item("newPassword") else {
        throw Refusal.invalid("add &newPassword=NEW_PASSWORD to the address")
      }
      var call = ResetPassword(oobCode: code, newPassword: Secret(password))
      call.tenantId = item("tenantId")
      _ = try await backend.answer(call)
      done = "The password has been changed."
    case "verifyEmail", "verifyAndChangeEmail", "recoverEmail", "revertSecondFactorAddition":
      var call = Update(oobCode: code)
      call.tenantId = item("tenantId")
      _ = try await backend.answer(call)
      done = "The address has been verified."
    case "signIn":
      guard link != nil else { throw AuthError(server: "INVALID_OOB_CODE") }
      guard let page else { throw Refusal(status: 400, message: "MISSING_CONTINUE_URI") }
      return .redirect(to: WebAddress.adding(query: sent, to: page))
    default: throw Refusal.invalid("the mode is none that the emulator knows")
    }
    if let page { return .redirect(to: page) }
    return ServerResponse(json: ["authEmulator": ["success": .string(done)]])
  }
}

extension ServerResponse {
  /// Returns a redirect to another page. Refuses a URL with characters other than visible ASCII, which could end the
  /// header field.
  fileprivate static func redirect(to page: String) -> ServerResponse {
    guard page.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return Refusal.invalid("continueUrl").response }
    return ServerResponse(status: 303, headers: ["Location": page])
  }
}
