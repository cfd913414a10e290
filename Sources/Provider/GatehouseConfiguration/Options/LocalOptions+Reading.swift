public import Configuration
import GatehouseBase
public import GatehouseLocal

extension LocalOptions {
  /// Reads options. Each setting of `Docs/configuration.md` that a reader has replaces the value in `base`.
  ///
  /// `transport`, `logger`, `clocks` and `acceptsUnverifiedIdentities` keep their values from `base`, and so do
  /// `delivery` and `textDelivery` unless their settings select another delivery. The reader runs on the caller's
  /// executor, without a queue. Blocks the thread while a list of leaked passwords is examined.
  ///
  /// - Parameters:
  ///   - config: the reader, with `ProviderSettings.file`, `ProviderSettings.environment` or any providers of your own.
  ///     The keys are at its top level, or in its scope.
  ///   - base: the values of options that are not set.
  /// - Throws: `.invalidArgument` for a value that is not allowed, a setting that another one requires, options that
  ///   contradict each other, and identity providers without a `transport` in `base`. The error names the key and the
  ///   allowed values, and contains no secret. It also throws the `AuthError`s of the reader's providers and of
  ///   `LeakedPasswords`.
  public init(reading config: ConfigReader, over base: LocalOptions = LocalOptions()) async throws {
    try self.init(try await SettingValues(reading: config), over: base)
    guard transport != nil || acceptsUnverifiedIdentities || identityProviders.isEmpty else {
      throw AuthError(
        .invalidArgument,
        "identityProviders.enabled needs a transport, to fetch the providers' keys: pass LocalOptions whose transport "
          + "is set, such as AsyncHTTPTransport of GatehouseAsyncHTTP, as over:")
    }
  }

  init(_ values: SettingValues, over base: LocalOptions) throws(AuthError) {
    self = base
    values.applyPlain(to: &self)
    try readAudit(values)
    try readDelivery(values)
    try readTextDelivery(values)
    try readTemplates(values)
    if values["identityProviders.enabled"] != nil { identityProviders = try values.identityProviders() }
    if let file = values.text("leakedPasswords.file") {
      do throws(AuthError) { leakedPasswords = try typed { try LeakedPasswords(file: file) } } catch {
        throw AuthError(error.code, values.mistake(at: ["leakedPasswords.file"], error.message).message)
      }
    }
    try check { keys, advice in values.mistake(at: keys, advice) }
  }

  private mutating func readAudit(_ values: SettingValues) throws(AuthError) {
    let limits = ["audit.maximumBytes", "audit.keptFiles", "audit.keptTime"]
    if values.flag("audit.enabled") == false {
      try values.refuse(limits, "audit.enabled is false")
      audit = nil
      return
    }
    guard !values.keys(below: "audit").isEmpty else { return }
    var new = audit ?? AuditOptions()
    new.maximumBytes = values.number("audit.maximumBytes") ?? new.maximumBytes
    new.keptFiles = values.number("audit.keptFiles") ?? new.keptFiles
    new.keptTime = values.duration("audit.keptTime") ?? new.keptTime
    audit = new
  }

  private mutating func readTemplates(_ values: SettingValues) throws(AuthError) {
    for language in values.list(SettingFamily.templates.listKey) ?? [] {
      let key = "templates.\(language)"
      if let words = values.text("\(key).phone") { templates.phoneTexts[language.lowercased()] = words }
      for message in SettingFamily.messages where !values.keys(below: "\(key).\(message.key)").isEmpty {
        let old = templates[language, message.type]
        func part(_ name: String, else old: String?) throws(AuthError) -> String {
          try values.required(
            "\(key).\(message.key).\(name)", by: values.keys(below: "\(key).\(message.key)")[0],
            "a message in a new language", else: old)
        }
        templates[language, message.type] = MessageTemplates.Template(
          subject: try part("subject", else: old?.subject), text: try part("text", else: old?.text))
      }
    }
  }
}
