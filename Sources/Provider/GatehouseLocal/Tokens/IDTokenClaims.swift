import GatehouseBase

extension Session {
  /// Returns the claims of the session's ID token, with Firebase's names and formats.
  func claims(_ options: LocalOptions, at now: Moment) -> JSONObject {
    var claims = JSONObject()
    claims["name"] = account.displayName.map { .string($0) }
    claims["picture"] = account.photoURL.map { .string($0) }
    // These come before the provider's own claims, which override them. The session's claims override those of the
    // account.
    for member in account.customClaims.members { claims[member.name] = member.value }
    for member in self.claims.members { claims[member.name] = member.value }
    if provider == Self.anonymous { claims["provider_id"] = .string(Self.anonymous) }
    claims["iss"] = .string(options.issuerName)
    claims["aud"] = .string(options.projectID)
    // If the clock was set back since the sign-in: no verifier accepts a sign-in in the future.
    claims["auth_time"] = .number(JSONNumber(min(authTime, now.seconds)))
    claims["user_id"] = .string(account.uid)
    claims["sub"] = .string(account.uid)
    claims["sid"] = .string(id)
    claims["iat"] = .number(JSONNumber(now.seconds))
    claims["exp"] = .number(JSONNumber(now.seconds + options.tokenSeconds))
    var identities = JSONObject()
    if let email = account.email {
      claims["email"] = .string(email)
      claims["email_verified"] = .bool(account.emailVerified)
      identities["email"] = .array([.string(email)])
    }
    if let phone = account.phoneNumber {
      claims["phone_number"] = .string(phone)
      identities["phone"] = .array([.string(phone)])
    }
    for identity in self.identities { identities[identity.provider] = .array([.string(identity.subject)]) }
    var firebase: JSONObject = ["identities": .object(identities), "sign_in_provider": .string(provider)]
    if !account.tenant.isEmpty { firebase["tenant"] = .string(account.tenant) }
    if let factor {
      firebase["sign_in_second_factor"] = .string(factor.kind)
      firebase["second_factor_identifier"] = factor.id.map { .string($0) }
    }
    claims["firebase"] = .object(firebase)
    return claims
  }
}
