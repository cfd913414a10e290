import GatehouseBase

// Every member that the protocol has. A new one is applied (its kind), refused (`.missing`) or kept, because it
// protects nothing (`.any`). `Docs/server.md` says so of each, and `ConfigurationMembersTests` walks them.
// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/Config and the pages beside it
extension DocumentForm {
  /// A protection that is not there. It cannot be switched on.
  private static func off(_ advice: String) -> DocumentForm { .missing(.bool, unless: [false], advice: advice) }

  /// A way that is always there. It cannot be switched off.
  private static func on(_ advice: String) -> DocumentForm { .missing(.bool, unless: [true], advice: advice) }

  /// A list or an object of protections that are not there.
  private static func empty(_ advice: String) -> DocumentForm {
    .missing(.any, unless: [.array([]), .object([:])], advice: advice)
  }

  private static let passwordPolicy = DocumentForm.object([
    "passwordPolicyEnforcementState": .choice(["PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED", "OFF", "ENFORCE"]),
    "forceUpgradeOnSignin": .bool, "lastUpdateTime": .any,
    "passwordPolicyVersions": .list(
      .object([
        "customStrengthOptions": .object([
          "minPasswordLength": .number, "maxPasswordLength": .number, "containsLowercaseCharacter": .bool,
          "containsUppercaseCharacter": .bool, "containsNumericCharacter": .bool,
          "containsNonAlphanumericCharacter": .bool,
        ]), "schemaVersion": .any,
      ])),
  ])

  private static let secondFactorState = DocumentForm.choice(["STATE_UNSPECIFIED", "DISABLED", "ENABLED", "MANDATORY"])

  private static let secondFactors = DocumentForm.object([
    "state": secondFactorState, "enabledProviders": .list(.choice(["PROVIDER_UNSPECIFIED", "PHONE_SMS"])),
    "providerConfigs": .list(
      .object([
        "state": .choice(["MFA_STATE_UNSPECIFIED", "DISABLED", "ENABLED", "MANDATORY"]),
        "totpProviderConfig": .object([
          "adjacentIntervals": .missing(
            .number, unless: (1...10).map { .number(JSONNumber($0)) },
            advice: "the codes of the period before and of the next one are taken; write 1 to 10")
        ]),
      ])),
  ])

  private static let regions = DocumentForm.object([
    "allowByDefault": .object(["disallowedRegions": .list(.text)]),
    "allowlistOnly": .object(["allowedRegions": .list(.text)]),
  ])

  /// Without `ENFORCE`, a reCAPTCHA refuses nothing, at Google either: the other members protect nothing then.
  private static let recaptchaState = DocumentForm.missing(
    .choice(["RECAPTCHA_PROVIDER_ENFORCEMENT_STATE_UNSPECIFIED", "OFF", "AUDIT", "ENFORCE"]),
    unless: ["RECAPTCHA_PROVIDER_ENFORCEMENT_STATE_UNSPECIFIED", "OFF", "AUDIT"],
    advice: "no answer of a reCAPTCHA is checked; the throttles of provider.json limit attempts, sign-ups and messages")

  private static let recaptcha = DocumentForm.object([
    "emailPasswordEnforcementState": recaptchaState, "phoneEnforcementState": recaptchaState, "managedRules": .any,
    "tollFraudManagedRules": .any, "useAccountDefender": .any, "useSmsBotScore": .any,
    "useSmsTollFraudProtection": .any, "recaptchaKeys": .any,
  ])

  private static let client = DocumentForm.object([
    "apiKey": .any, "firebaseSubdomain": .any,
    "permissions": .object([
      "disabledUserSignup": off(
        "users sign up; signUpThrottle of provider.json limits them, and a tenant's allowPasswordSignup and "
          + "enableAnonymousUser refuse them"),
      "disabledUserDeletion": off("users delete their own accounts"),
    ]),
  ])

  private static let monitoring = DocumentForm.object([
    "requestLogging": .object(["enabled": off("requests are in no log; the audit log has the changes")])
  ])
  private static let autodelete = off("anonymous accounts are kept; an administrator deletes them")
  private static let tenantAdvice =
    "every way to sign in is on for the project; create a tenant, which has a switch for each"

  static let project = DocumentForm.object([
    "name": .any, "subtype": .any, "defaultHostingSite": .any, "authorizedDomains": .any,
    "signIn": .object([
      "allowDuplicateEmails": .bool,
      "email": .object(["enabled": on(tenantAdvice), "passwordRequired": off(tenantAdvice)]),
      "phoneNumber": .object([
        "enabled": on("set textDelivery.by of provider.json to none"), "testPhoneNumbers": .any,
      ]),
      "anonymous": .object(["enabled": on(tenantAdvice)]), "hashConfig": .any,
    ]),
    "notification": .any,
    "quota": .object(["signUpQuotaConfig": empty("set signUpThrottle of provider.json")]),
    "monitoring": monitoring,
    "multiTenant": .object([
      "allowTenants": on("administrators may create tenants"), "defaultTenantLocation": .any,
    ]),
    "client": client, "mfa": secondFactors,
    "blockingFunctions": .object(["triggers": empty("no function is called"), "forwardInboundCredentials": .any]),
    "recaptchaConfig": recaptcha, "smsRegionConfig": regions, "autodeleteAnonymousUsers": autodelete,
    "passwordPolicyConfig": passwordPolicy, "emailPrivacyConfig": .object(["enableImprovedEmailPrivacy": .bool]),
    "mobileLinksConfig": .any,
  ])

  static let tenant = DocumentForm.object([
    "name": .any, "displayName": .text, "allowPasswordSignup": .bool, "enableEmailLinkSignin": .bool,
    "enableAnonymousUser": .bool, "disableAuth": .bool, "hashConfig": .any, "inheritance": .any, "client": client,
    "monitoring": monitoring, "recaptchaConfig": recaptcha, "smsRegionConfig": regions,
    "autodeleteAnonymousUsers": autodelete, "passwordPolicyConfig": passwordPolicy, "mfaConfig": secondFactors,
    "emailPrivacyConfig": .object(["enableImprovedEmailPrivacy": .bool]), "mobileLinksConfig": .any,
    "testPhoneNumbers": .any,
  ])

  static let openIDConnect = DocumentForm.object([
    "name": .any, "displayName": .text, "enabled": .bool, "clientId": .text, "issuer": .text, "clientSecret": .text,
    "responseType": .object(["idToken": .bool, "code": .bool, "token": .bool]),
  ])

  // Outside an emulator, the users of a SAML provider are refused, whatever its document says.
  static let saml = DocumentForm.object([
    "name": .any, "displayName": .text, "enabled": .bool,
    "idpConfig": .object([
      "idpEntityId": .text, "ssoUrl": .text, "signRequest": .bool,
      "idpCertificates": .list(.object(["x509Certificate": .text])),
    ]),
    "spConfig": .object([
      "spEntityId": .text, "callbackUri": .text, "spCertificates": .any,
    ]),
  ])
}
