import GatehouseBase
import GatehouseQueues
import IdentityToolkit

// The tokens or profile of an answer can only be read together with the user that the answer must be about. A new call
// cannot forget the check, because there is no other way from a response to tokens or a profile (a test reads the
// sources).
extension SessionTokens {
  /// - Throws: `.internalError` if the answer is about another user.
  init(_ response: SignInResponse, of uid: String, received: ClockReading) throws(AuthError) {
    try SignUp.checkAnswer(about: response.localId, asked: uid)
    try Self.require(response.idToken, response.refreshToken)
    self.init(
      idToken: response.idToken, refreshToken: response.refreshToken, lifetimeSeconds: Double(response.expiresIn.value),
      received: received)
  }

  /// - Throws: `.internalError` if the answer is about another user.
  init(_ response: ExchangeRefreshToken.Response, of uid: String, received: ClockReading) throws(AuthError) {
    try ExchangeRefreshToken.checkAnswer(about: response.userId, asked: uid)
    try Self.require(response.idToken, response.refreshToken)
    self.init(
      idToken: response.idToken, refreshToken: response.refreshToken, lifetimeSeconds: Double(response.expiresIn.value),
      received: received)
  }

  /// `nil` if the change brought no tokens, because it revoked none.
  ///
  /// - Throws: `.internalError` if the answer is about another user.
  init?(_ response: Update.Response, of uid: String, received: ClockReading) throws(AuthError) {
    try Update.checkAnswer(about: response.localId, asked: uid)
    guard let idToken = response.idToken, let refreshToken = response.refreshToken else { return nil }
    try Self.require(idToken, refreshToken)
    self.init(
      idToken: idToken, refreshToken: refreshToken,
      lifetimeSeconds: response.expiresIn.map { Double($0.value) } ?? UnverifiedIDToken.assumedLifetime,
      received: received)
  }

  /// Refuses an answer with an empty token: with it, the session could never be refreshed again.
  private static func require(_ idToken: Secret, _ refreshToken: Secret) throws(AuthError) {
    guard idToken.revealed.isEmpty || refreshToken.revealed.isEmpty else { return }
    throw AuthError(.internalError, "the server's answer has an empty token")
  }
}

extension SignInWithCustomToken.Response {
  /// Returns the tokens, and the user that the ID token names, because the answer itself names none. The lookup that
  /// follows must return the same user.
  ///
  /// - Throws: `.internalError` if the ID token cannot be read.
  func tokens(received: ClockReading) async throws(AuthError) -> (SessionTokens, uid: String) {
    let tokens = SessionTokens(
      idToken: idToken, refreshToken: refreshToken, lifetimeSeconds: Double(expiresIn.value), received: received)
    return (tokens, try await UnverifiedIDToken.read(idToken, SignInWithCustomToken.endpoint).uid)
  }
}

extension SignInWithIdp.Response {
  /// Returns the user and their tokens.
  ///
  /// - Throws: `.accountExistsWithDifferentCredential` if the user must sign in to another account first, or the reason
  ///   why a link was refused, both with the credential to continue with; `.internalError` for an answer without a
  ///   user.
  func signIn(with given: IdentityCredential) throws(AuthError) -> SignInResponse {
    if let errorMessage {
      throw AuthError(server: errorMessage, email: email).with { $0.refusedCredential = .identity(usable(given)) }
    }
    if needConfirmation == true {
      throw AuthError(
        .accountExistsWithDifferentCredential,
        "another account has this address; sign in to it the way it was made, then link the credential", email: email
      ).with { $0.refusedCredential = .identity(usable(given)) }
    }
    return try SignInResponse(
      of: localId, idToken, refreshToken, expiresIn, isNewUser, SignInWithIdp.endpoint)
  }
}

extension SignInWithPhoneNumber.Response {
  /// Returns the user and their tokens.
  ///
  /// - Throws: `.credentialAlreadyInUse` if another account has the number, with the credential to sign in to that
  ///   account; `.internalError` for an answer without a user.
  func signIn() throws(AuthError) -> SignInResponse {
    if let temporaryProof, let phoneNumber {
      throw AuthError(.credentialAlreadyInUse, "another account has this phone number")
        .with { $0.refusedCredential = .phone(number: phoneNumber, temporaryProof: temporaryProof) }
    }
    return try SignInResponse(
      of: localId, idToken, refreshToken, expiresIn, isNewUser, SignInWithPhoneNumber.endpoint)
  }
}

extension SignInResponse {
  fileprivate init(
    of uid: String?, _ idToken: Secret?, _ refreshToken: Secret?, _ life: DecimalString?, _ isNewUser: Bool?,
    _ endpoint: String
  ) throws(AuthError) {
    guard let uid, let idToken, let refreshToken else {
      throw AuthError(.internalError, "\(endpoint) was answered without a user and tokens; check the backend")
    }
    self.init(localId: uid, idToken: idToken, refreshToken: refreshToken, expiresIn: .zero)
    expiresIn = life ?? DecimalString(Int64(UnverifiedIDToken.assumedLifetime))
    self.isNewUser = isNewUser
  }
}

extension SecondFactorTokens {
  /// Returns the tokens, with the lifetime of the ID token, and the user that it names.
  ///
  /// - Throws: `.internalError` if the ID token cannot be read.
  func tokens(received: ClockReading) async throws(AuthError) -> (SessionTokens, uid: String) {
    let subject = try await UnverifiedIDToken.read(idToken, FinalizeMfaSignIn.endpoint)
    let tokens = SessionTokens(
      idToken: idToken, refreshToken: refreshToken, lifetimeSeconds: subject.lifetimeSeconds(received: received.wall),
      received: received)
    return (tokens, subject.uid)
  }

  /// Returns the tokens of a session's user.
  ///
  /// - Throws: `.internalError` if the answer is about another user.
  func tokens(of uid: String, received: ClockReading) async throws(AuthError) -> SessionTokens {
    let (tokens, named) = try await tokens(received: received)
    try FinalizeMfaSignIn.checkAnswer(about: named, asked: uid)
    return tokens
  }
}

extension UnverifiedIDToken {
  /// Reads the token in the background, because a server may send a token of any length.
  fileprivate static func read(_ idToken: Secret, _ endpoint: String) async throws(AuthError) -> UnverifiedIDToken {
    try await Background.run { () throws(AuthError) in
      guard let token = UnverifiedIDToken(idToken) else {
        throw AuthError(
          .internalError, "\(endpoint) was answered with an ID token that names no user; check the backend")
      }
      return token
    }
  }
}

extension Lookup.Response {
  /// Returns the user's profile.
  ///
  /// - Throws: `.internalError` if the answer is about another user, or about none.
  func profile(of uid: String) throws(AuthError) -> UserProfile {
    guard let account = users?.first else {
      throw AuthError(.internalError, "\(Lookup.endpoint) was answered without an account; check the backend")
    }
    try Lookup.checkAnswer(about: account.localId, asked: uid)
    return account.profile
  }
}

extension Call {
  fileprivate static func checkAnswer(about uid: String, asked expected: String) throws(AuthError) {
    guard uid.isExactly(expected) else {
      throw AuthError(
        .internalError, "\(endpoint) was answered for another user; the answer was not used; check the backend")
    }
  }
}
