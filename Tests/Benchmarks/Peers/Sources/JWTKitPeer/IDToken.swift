import Foundation
import JWTKit

/// What a server checks, and nothing that it does not: the shortest payload that jwt-kit can decode.
struct IDToken: JWTPayload {
  let iss: IssuerClaim
  let aud: AudienceClaim
  let sub: SubjectClaim
  let iat: IssuedAtClaim
  let exp: ExpirationClaim

  func verify(using _: some JWTAlgorithm) throws {
    try exp.verifyNotExpired()
    guard iat.value <= Date() else { throw JWTError.claimVerificationFailure(failedClaim: iat, reason: "time") }
  }
}
