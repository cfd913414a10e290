import GatehouseBase
import IdentityToolkit

extension Route {
  /// The calls of administrators, one per line.
  static let ofAdministrators: [Route] = [
    CallRoute(
      CreateAccount.self, kind: "SignupNewUserResponse", legacy: "signupNewUser",
      also: "identitytoolkit.googleapis.com/v1/accounts:signUp"),
    CallRoute(
      LookupAccounts.self, kind: "GetAccountInfoResponse", legacy: "getAccountInfo",
      absent: none("GetAccountInfoResponse")),
    CallRoute(ImportAccounts.self, kind: "UploadAccountResponse", legacy: "uploadAccount"),
    CallRoute(
      UpdateAccount.self, kind: "SetAccountInfoResponse", legacy: "setAccountInfo", absent: noUser,
      closed: ["mfa": ["enrollments"]]),
    CallRoute(
      DeleteAccount.self, kind: "DeleteAccountResponse", legacy: "deleteAccount", absent: noUser,
      requiring: ["localId": AuthError(server: .missingLocalID)]),
    CallRoute(DeleteAccounts.self),
    CallRoute(
      ListAccounts.self, kind: "DownloadAccountResponse", legacy: "downloadAccount",
      absent: none("DownloadAccountResponse")),
    CallRoute(
      QueryAccounts.self, also: "identitytoolkit.googleapis.com/v1/projects/{project}:queryAccounts",
      absent: ServerResponse(json: ["recordsCount": "0"]),
      closed: [
        "": ["returnUserInfo", "limit", "offset", "sortBy", "order", "expression", "tenantId"],
        "expression": ["email", "userId", "phoneNumber"],
      ]),
    CallRoute(
      MakeActionLink.self, kind: "GetOobConfirmationCodeResponse", legacy: "getOobConfirmationCode",
      missing: ["returnOobLink": false]
    ) { answer, routed in
      guard routed.scene.options.emulator != nil, let link = answer.oobLink else { return [:] }
      return (try? routed.emulatorLink(link)).map { ["oobLink": .string($0)] } ?? [:]
    },
    CallRoute(CreateSessionCookie.self),
    CallRoute(CheckSession.self),
  ].flatMap(\.routes)

  /// The answer of a project without accounts.
  private static func none(_ kind: String) -> ServerResponse {
    ServerResponse(json: ["kind": .string("identitytoolkit#\(kind)")])
  }

  private static let noUser = Refusal(AuthError(server: .userNotFound)).response
}
