package import GatehouseBase

extension VerifiedToken {
  /// Takes a token of an emulator, which does not sign, as verified, if its claims satisfy the rules of a policy. Only
  /// for a caller that was told to use an emulator, and for an emulator itself.
  ///
  /// - Parameter wall: the time in seconds since 1970; `nil` for the time of the policy's clocks.
  package init(
    _ token: UnsecuredToken, _ policy: VerificationPolicy, at wall: Double? = nil
  ) throws(AuthError) {
    let claims = try ScannedObject(parsing: token.claims.serialized(), limits: policy.limits.json)
    try ClaimRules(policy).check(claims, hashedWith: nil, by: nil, at: wall ?? policy.clocks.wall)
    self.init(token.header, claims)
  }
}
