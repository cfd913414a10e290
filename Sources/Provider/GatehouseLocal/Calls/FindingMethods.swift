import GatehouseBase
import IdentityToolkit

extension CreateAuthUri: LocalCall {
  /// Under enumeration protection the answer is empty for every address.
  func answer(by provider: Provider) throws(AuthError) -> Response {
    let email = try EmailAddress(identifier)
    var response = Response()
    guard !provider.options.enumerationProtection else { return response }
    let account = try provider.database.read { db in try StoredAccount.find(email, in: db) }
    response.registered = account != nil
    response.signinMethods = account?.signInMethods ?? []
    response.allProviders = account.map { $0.signInMethods.isEmpty ? [] : [Session.byPassword] } ?? []
    return response
  }
}

extension StoredAccount {
  /// How the account signs in, as the protocol says it.
  var signInMethods: [String] { (password == nil ? [] : ["password"]) + (emailLink ? ["emailLink"] : []) }
}
