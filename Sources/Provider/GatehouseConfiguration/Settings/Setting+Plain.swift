import GatehouseLocal

extension Setting {
  private static let day: Int64 = 86400
  private static let attempts = SettingKind.number(1...1_000_000)
  private static let passwordLength = SettingKind.number(OptionLimits.shortestPassword...4096)

  /// The settings with fixed keys.
  package static let plain: [Setting] = [
    .text("projectID", OptionLimits.projectBytes, \.projectID),
    Setting(path: ["issuer"], kind: .text(OptionLimits.issuerBytes), standard: "https://securetoken.google.com/PROJECT")
    {
      if case .text(let issuer) = $1 { $0.issuer = issuer }
    },
    Setting(
      path: ["signing"], kind: .choice(LocalOptions.Signing.allCases.map(\.rawValue)),
      standard: LocalOptions().signing.rawValue
    ) {
      if case .text(let name) = $1, let signing = LocalOptions.Signing(rawValue: name) { $0.signing = signing }
    },
    .duration("tokenLifetime", OptionLimits.tokenLifetime, \.tokenLifetime),
    .duration("keyPublication", OptionLimits.keyPublication, \.keyPublication),
    .flag("rotatesRefreshTokens", \.rotatesRefreshTokens),
    .duration("rotationGrace", OptionLimits.rotationGrace, \.rotationGrace),
    .flag("enumerationProtection", \.enumerationProtection),
    Setting(
      path: ["recentSignIn"], kind: .duration(1...3650 * day, orWord: "forever"),
      standard: SettingDuration.text(LocalOptions().recentSignIn?.wholeSeconds ?? 0)
    ) {
      if case .duration(let duration) = $1 { $0.recentSignIn = duration }
    },
    // At least 8192 and 8, so that a line in a file cannot make every password cheap to guess.
    .number("passwordCost.n", .powerOfTwo(8192...1 << 24), \.passwordCost.n),
    .number("passwordCost.r", .number(8...64), \.passwordCost.r),
    .number("passwordCost.p", .number(1...48), \.passwordCost.p),
    .number("passwordRequirements.minimumLength", passwordLength, \.passwordRequirements.minimumLength),
    Setting(path: ["passwordRequirements", "maximumLength"], kind: passwordLength, standard: "none") {
      if case .number(let length) = $1 { $0.passwordRequirements.maximumLength = length }
    },
    .flag("passwordRequirements.needsLowercase", \.passwordRequirements.needsLowercase),
    .flag("passwordRequirements.needsUppercase", \.passwordRequirements.needsUppercase),
    .flag("passwordRequirements.needsDigit", \.passwordRequirements.needsDigit),
    .flag("passwordRequirements.needsSpecialCharacter", \.passwordRequirements.needsSpecialCharacter),
    .part("leakedPasswords.file", .text(1...4096)),
    .number("throttle.attempts", attempts, \.throttle.attempts),
    .duration("throttle.window", OptionLimits.throttleWindow, \.throttle.window),
    .number("addressThrottle.attempts", attempts, \.addressThrottle.attempts),
    .duration("addressThrottle.window", OptionLimits.throttleWindow, \.addressThrottle.window),
    .number("secondFactorThrottle.attempts", attempts, \.secondFactorThrottle.attempts),
    .duration("secondFactorThrottle.window", OptionLimits.throttleWindow, \.secondFactorThrottle.window),
    .number("messageThrottle.attempts", attempts, \.messageThrottle.attempts),
    .duration("messageThrottle.window", OptionLimits.throttleWindow, \.messageThrottle.window),
    .number("signUpThrottle.attempts", attempts, \.signUpThrottle.attempts),
    .duration("signUpThrottle.window", OptionLimits.throttleWindow, \.signUpThrottle.window),
    .number("networkMessageThrottle.attempts", attempts, \.networkMessageThrottle.attempts),
    .duration("networkMessageThrottle.window", OptionLimits.throttleWindow, \.networkMessageThrottle.window),
    .number("textThrottle.attempts", attempts, \.textThrottle.attempts),
    .duration("textThrottle.window", OptionLimits.throttleWindow, \.textThrottle.window),
    .part("delivery.by", .choice(["none", "file", "log", "sendmail"])),
    .part("delivery.folder", .text(1...4096)),
    .part("delivery.program", .text(1...4096), "/usr/sbin/sendmail"),
    .part("delivery.from", .text(1...320), "noreply@localhost for file, none for sendmail"),
    .duration("delivery.timeout", 1...3600, \.deliveryTimeout),
    .part("textDelivery.by", .choice(["none", "file", "log"])),
    .part("textDelivery.folder", .text(1...4096)),
    .text("appName", 1...256, \.appName),
    .text("actionURL", 1...2048, \.actionURL),
    Setting(
      path: ["authorizedDomains"], kind: .list, standard: LocalOptions().authorizedDomains.joined(separator: ", ")
    ) {
      if case .list(let domains) = $1 { $0.authorizedDomains = domains }
    },
    Setting(path: ["linkDomains"], kind: .list, standard: "none") {
      if case .list(let domains) = $1 { $0.linkDomains = domains }
    },
    .duration("codeLifetimes.passwordReset", OptionLimits.codeLifetime, \.codeLifetimes.passwordReset),
    .duration("codeLifetimes.emailSignIn", OptionLimits.codeLifetime, \.codeLifetimes.emailSignIn),
    .duration("codeLifetimes.verification", OptionLimits.codeLifetime, \.codeLifetimes.verification),
    .duration("codeLifetimes.recovery", OptionLimits.codeLifetime, \.codeLifetimes.recovery),
    .duration("codeLifetimes.secondFactorRemoval", OptionLimits.codeLifetime, \.codeLifetimes.secondFactorRemoval),
    .duration("codeLifetimes.secondFactorWait", OptionLimits.codeLifetime, \.codeLifetimes.secondFactorWait),
    .part("audit.enabled", .flag, "true"),
    .part("audit.maximumBytes", .number(OptionLimits.auditBytes...1 << 40), "\(AuditOptions().maximumBytes)"),
    .part("audit.keptFiles", .number(OptionLimits.auditFiles...10_000), "\(AuditOptions().keptFiles)"),
    .part(
      "audit.keptTime", .duration(OptionLimits.auditTime...3650 * day),
      SettingDuration.text(AuditOptions().keptTime.wholeSeconds)),
    .part("identityProviders.enabled", .list),
    .part("templates.languages", .list),
  ]
}
