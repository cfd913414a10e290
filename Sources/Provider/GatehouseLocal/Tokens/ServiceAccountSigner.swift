import GRDB
package import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE

extension AuthError {
  /// Whether a verifier refuses the claims of a token whose signature is valid. Its signer may be told the reason. Any
  /// other reason would tell strangers which service accounts and keys there are.
  package var isAboutSignedClaims: Bool {
    switch code {
    case .claimInvalid, .issuerMismatch, .audienceMismatch, .tokenExpired, .tokenNotYetValid: true
    default: false
    }
  }
}

/// A service account and its key, as a token names them. Nothing is verified yet.
struct ServiceAccountSigner: Sendable {
  let account: StoredServiceAccount
  let key: StoredServiceAccountKey

  /// Finds the signer that a token names.
  ///
  /// - Parameters:
  ///   - account: the account that the token names.
  ///   - keyID: the key that the token names. `nil` is accepted if the account has exactly one key.
  /// - Throws: `.unknownKey` if the account does not have the key.
  init(_ account: StoredServiceAccount, keyID: String?, in db: Database) throws {
    let keys = try StoredServiceAccountKey.all(of: account, in: db)
    let named = keyID.map { keyID in keys.filter { $0.keyID.isExactly(keyID) } } ?? keys
    guard let key = named.first, named.count == 1 else {
      throw AuthError(.unknownKey, "`kid` does not name a key of the service account")
    }
    self.account = account
    self.key = key
  }

  /// The credential, as the audit log names it.
  var credential: AdministratorCredential { .serviceAccount(account.email, keyID: key.keyID) }

  /// Verifies a token that the account has signed.
  func verify(
    _ token: Secret, _ policy: VerificationPolicy, at now: Moment
  ) throws(AuthError) -> VerifiedToken {
    let publicKey: PublicKey
    do throws(AuthError) { publicKey = try typed { try PublicKey(pem: key.publicKey) } } catch {
      throw AuthError(.providerDamaged, "a key of the service account \(account.email.printable()) cannot be read")
    }
    let keys = try typed { try JWKSet([JWK(.publicKey(publicKey), keyID: key.keyID, algorithm: .RS256, use: "sig")]) }
    return try TokenVerifier(keys: keys, policy: policy).verify(token.revealed, at: Double(now.seconds))
  }
}
