import GatehouseLocal

extension Setting {
  private static let day: Int64 = 86400
  private static let attempts = SettingKind.number(1...1_000_000)

  /// The settings with fixed keys.
  package static let plain: [Setting] = [
    .text("projectID", 1...128, \.projectID),
    Setting(path: ["issuer"], kind: .text(1...1024), standard: "https://securetoken.google.com/PROJECT") {
      if case .text(let issuer) = $1 { $0.issuer = issuer }
    },
    Setting(
      path: ["signing"], kind: .choice(LocalOptions.Signing.allCases.map(\.rawValue)),
      standard: LocalOptions().signing.rawValue
    ) {
      if case .text(let name) = $1, let signing = LocalOptions.Signing(rawValue: name) { $0.signing = signing }
    },
    .duration("tokenLifetime", 1...day, \.tokenLifetime),
    .duration("keyPublication", 0...30 * day, \.keyPublication),
    .flag("rotatesRefreshTokens", \.rotatesRefreshTokens),
    .duration("rotationGrace", 0...600, \.rotationGrace),
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
    .number("passwordCost.p", .number(1...64), \.passwordCost.p),
    .number("passwordRequirements.minimumLength", .number(6...4096), \.passwordRequirements.minimumLength),
    Setting(path: ["passwordRequirements", "maximumLength"], kind: .number(6...4096), standard: "none") {
      if case .number(let length) = $1 { $0.passwordRequirements.maximumLength = length }
    },
    .flag("passwordRequirements.needsLowercase", \.passwordRequirements.needsLowercase),
    .flag("passwordRequirements.needsUppercase", \.passwordRequirements.needsUppercase),
    .flag("passwordRequirements.needsDigit", \.passwordRequirements.needsDigit),
    .flag("passwordRequirements.needsSpecialCharacter", \.passwordRequirements.needsSpecialCharacter),
    .part("leakedPasswords.file", .text(1...4096)),
    .number("throttle.attempts", attempts, \.throttle.attempts),
    .duration("throttle.window", 1...day, \.throttle.window),
    .number("addressThrottle.attempts", attempts, \.addressThrottle.attempts),
    .duration("addressThrottle.window", 1...day, \.addressThrottle.window),
    .number("secondFactorThrottle.attempts", attempts, \.secondFactorThrottle.attempts),
    .duration("secondFactorThrottle.window", 1...day, \.secondFactorThrottle.window),
    .number("messageThrottle.attempts", attempts, \.messageThrottle.attempts),
    .duration("messageThrottle.window", 1...day, \.messageThrottle.window),
    .number("signUpThrottle.attempts", attempts, \.signUpThrottle.attempts),
    .duration("signUpThrottle.window", 1...day, \.signUpThrottle.window),
    .number("networkMessageThrottle.attempts", attempts, \.networkMessageThrottle.attempts),
    .duration("networkMessageThrottle.window", 1...day, \.networkMessageThrottle.window),
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
    .duration("codeLifetimes.passwordReset", 1...366 * day, \.codeLifetimes.passwordReset),
    .duration("codeLifetimes.emailSignIn", 1...366 * day, \.codeLifetimes.emailSignIn),
    .duration("codeLifetimes.verification", 1...366 * day, \.codeLifetimes.verification),
    .duration("codeLifetimes.recovery", 1...366 * day, \.codeLifetimes.recovery),
    .part("audit.enabled", .flag, "true"),
    .part("audit.maximumBytes", .number(4096...1 << 40), "\(AuditOptions().maximumBytes)"),
    .part("audit.keptFiles", .number(1...10_000), "\(AuditOptions().keptFiles)"),
    .part("audit.keptTime", .duration(day...3650 * day), SettingDuration.text(AuditOptions().keptTime.wholeSeconds)),
    .part("identityProviders.enabled", .list),
    .part("templates.languages", .list),
  ]
}
