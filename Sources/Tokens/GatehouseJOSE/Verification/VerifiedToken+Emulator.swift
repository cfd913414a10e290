package import GatehouseBase

extension VerifiedToken {
  /// Takes a token of an emulator, which does not sign, as verified, if its claims satisfy the rules of a policy. Only
  /// for a caller that was told to use an emulator.
  package init(_ token: UnsecuredToken, _ policy: VerificationPolicy) throws(AuthError) {
    let claims = try ScannedObject(parsing: token.claims.serialized(), limits: policy.limits.json)
    try ClaimRules(policy).check(claims, hashedWith: nil, by: nil, at: policy.clocks.wall)
    self.init(token.header, claims)
  }
}
