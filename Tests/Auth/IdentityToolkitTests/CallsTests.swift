import Foundation
import GatehouseBase
import IdentityToolkit
import Testing

/// The names that travel are the protocol's, to the letter.
struct CallsTests {
  @Test func `a credential that names a member twice is none`() {
    #expect(IdentityCredential(postBody: Secret("providerId=google.com&id_token=a")) != nil)
    #expect(IdentityCredential(postBody: Secret("providerId=google.com&id_token=a&id_token=b")) == nil)
    #expect(IdentityCredential(postBody: Secret("providerId=google.com&id_token=a&providerId=b")) == nil)
  }

  @Test func `signing up sends what is given, and nothing else`() throws {
    try expect(SignUp(), #"{"returnSecureToken":true}"#)
    try expect(
      SignUp(email: "a@b", password: Secret("p"), displayName: "A", linkingTo: Secret("t")),
      #"{"displayName":"A","email":"a@b","idToken":"t","password":"p","returnSecureToken":true}"#)
  }

  @Test func `signing in sends the address and the password`() throws {
    try expect(
      SignInWithPassword(email: "a@b", password: Secret("p")),
      #"{"email":"a@b","password":"p","returnSecureToken":true}"#)
  }

  @Test func `looking up and deleting send the ID token`() throws {
    try expect(Lookup(idToken: Secret("t")), #"{"idToken":"t"}"#)
    try expect(Delete(idToken: Secret("t")), #"{"idToken":"t"}"#)
  }

  @Test func `updating sends what changes, and what is emptied by name`() throws {
    var update = Update(idToken: Secret("t"))
    try expect(update, #"{"idToken":"t","returnSecureToken":true}"#)
    update.displayName = "A"
    update.photoUrl = "https://b/c"
    update.email = "a@b"
    update.password = Secret("p")
    update.deleteAttribute = [.displayName, .photoURL]
    try expect(
      update,
      """
      {"deleteAttribute":["DISPLAY_NAME","PHOTO_URL"],"displayName":"A","email":"a@b","idToken":"t","password":"p",\
      "photoUrl":"https://b/c","returnSecureToken":true}
      """)
  }

  @Test func `exchanging a refresh token speaks OAuth's names`() throws {
    try expect(
      ExchangeRefreshToken(refreshToken: Secret("r")), #"{"grant_type":"refresh_token","refresh_token":"r"}"#)
    let response = ExchangeRefreshToken.Response(
      idToken: Secret("i"), refreshToken: Secret("r"), expiresIn: .seconds(3600), userId: "u")
    try expect(
      response,
      #"{"expires_in":"3600","id_token":"i","refresh_token":"r","token_type":"Bearer","user_id":"u"}"#)
  }

  @Test func `answers have the protocol's names`() throws {
    try expect(
      SignInResponse(
        localId: "u", email: "a@b", displayName: "A", idToken: Secret("i"), refreshToken: Secret("r"),
        expiresIn: .seconds(3600)),
      #"{"displayName":"A","email":"a@b","expiresIn":"3600","idToken":"i","localId":"u","refreshToken":"r"}"#)
    try expect(Delete.Response(), "{}")
    var update = Update.Response(localId: "u")
    try expect(update, #"{"localId":"u"}"#)
    update.expiresIn = DecimalString(1)
    update.photoUrl = "p"
    try expect(update, #"{"expiresIn":"1","localId":"u","photoUrl":"p"}"#)
    try expect(Lookup.Response(users: []), #"{"users":[]}"#)
  }

  @Test func `an account has the protocol's names`() throws {
    var account = Account(localId: "u")
    try expect(account, #"{"localId":"u"}"#)
    account.email = "a@b"
    account.emailVerified = true
    account.displayName = "A"
    account.photoUrl = "p"
    account.phoneNumber = "+1"
    account.tenantId = "t"
    account.disabled = false
    account.createdAt = DecimalString(1000)
    account.lastLoginAt = DecimalString(2000)
    account.validSince = DecimalString(3)
    var info = Account.ProviderUserInfo(providerId: "password")
    info.rawId = "raw"
    info.federatedId = "fed"
    account.providerUserInfo = [info]
    try expect(
      account,
      """
      {"createdAt":"1000","disabled":false,"displayName":"A","email":"a@b","emailVerified":true,"lastLoginAt":"2000",\
      "localId":"u","phoneNumber":"+1","photoUrl":"p",\
      "providerUserInfo":[{"federatedId":"fed","providerId":"password","rawId":"raw"}],"tenantId":"t","validSince":"3"}
      """)
  }

  @Test func `an account is a profile to the client`() {
    var account = Account(localId: "u")
    #expect(account.profile == UserProfile(uid: "u"))
    #expect(account.profile.isAnonymous)
    account.email = "a@b"
    account.emailVerified = true
    account.createdAt = DecimalString(1_763_686_879_123)
    var info = Account.ProviderUserInfo(providerId: "google.com")
    info.federatedId = "fed"
    account.providerUserInfo = [info]
    let profile = account.profile
    #expect(profile.email == "a@b")
    #expect(profile.isEmailVerified)
    #expect(profile.creationSeconds == 1_763_686_879.123)
    #expect(profile.providers == [ProviderProfile(providerID: "google.com", uid: "fed")])
    #expect(!profile.isAnonymous)
  }

  @Test func `an answer with members that we do not know is still understood`() throws {
    let json = """
      {"kind":"identitytoolkit#SignupNewUserResponse","localId":"u","idToken":"i","refreshToken":"r","expiresIn":3600,\
      "isNewUser":true}
      """
    let response = try JSONDecoder().decode(SignInResponse.self, from: Data(json.utf8))
    #expect(response.expiresIn.value == 3600)
    #expect(response.email == nil)
  }

  @Test func `endpoints are Google's`() {
    let accounts = "identitytoolkit.googleapis.com/v1/accounts:"
    #expect(SignUp.endpoint == accounts + "signUp")
    #expect(SignInWithPassword.endpoint == accounts + "signInWithPassword")
    #expect(Lookup.endpoint == accounts + "lookup")
    #expect(Update.endpoint == accounts + "update")
    #expect(Delete.endpoint == accounts + "delete")
    #expect(ExchangeRefreshToken.endpoint == "securetoken.googleapis.com/v1/token")
  }

  /// A value is written as this text, and what is read from the text is written so again.
  private func expect<T: Codable & Sendable>(
    _ value: T, _ json: String, at location: SourceLocation = #_sourceLocation
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == json, sourceLocation: location)
    let again = try JSONDecoder().decode(T.self, from: Data(json.utf8))
    #expect(String(decoding: try encoder.encode(again), as: UTF8.self) == json, sourceLocation: location)
  }
}
