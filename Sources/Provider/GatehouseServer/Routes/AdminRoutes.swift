import GatehouseBase
import IdentityToolkit

extension Route {
  /// The calls of administrators, one per line.
  static let ofAdministrators: [Route] = [
    CallRoute(CreateAccount.self, kind: "SignupNewUserResponse"),
    CallRoute(LookupAccounts.self, kind: "GetAccountInfoResponse"),
    CallRoute(ImportAccounts.self, kind: "UploadAccountResponse"),
    CallRoute(UpdateAccount.self, kind: "SetAccountInfoResponse", closed: ["mfa": ["enrollments"]]),
    CallRoute(DeleteAccount.self, kind: "DeleteAccountResponse", requiring: ["localId": "MISSING_LOCAL_ID"]),
    CallRoute(DeleteAccounts.self),
    CallRoute(ListAccounts.self, kind: "DownloadAccountResponse"),
    CallRoute(
      QueryAccounts.self,
      closed: [
        "": ["returnUserInfo", "limit", "offset", "sortBy", "order", "expression", "tenantId"],
        "expression": ["email", "userId", "phoneNumber"],
      ]),
    CallRoute(MakeActionLink.self, kind: "GetOobConfirmationCodeResponse"),
    CallRoute(CreateSessionCookie.self),
    CallRoute(CheckSession.self),
  ].flatMap(\.routes)
}
