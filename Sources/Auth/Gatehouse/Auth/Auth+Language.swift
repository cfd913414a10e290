import GatehouseCore
import GatehouseQueues
import GatehouseSystem

extension Auth {
  /// The language of the messages that the provider sends, as a BCP 47 tag (`de`, `pt-BR`); `nil` for the project's
  /// default.
  public var languageCode: String? {
    get { read { engine.languageCodeInternal() } }
    set { workQueue { engine.setLanguageCodeInternal(newValue) } }
  }

  /// Sets the language from the environment: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set. `C` and
  /// `POSIX` name no language.
  public func useAppLanguage() {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(CurrentProcess.variable).filter { !$0.isEmpty }
    let code = names.first.flatMap { String(validating: $0, as: UTF8.self) }.flatMap(Self.language(ofLocale:))
    languageCode = code
  }

  /// The BCP 47 tag of a POSIX locale: `pt-BR` for `pt_BR.UTF-8@euro`.
  package static func language(ofLocale locale: String) -> String? {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    guard !name.isEmpty, name != "C", name != "POSIX" else { return nil }
    let isTag = name.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
    return isTag ? String(name.map { $0 == "_" ? "-" : $0 }) : nil
  }
}
