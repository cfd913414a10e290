import GatehouseBase
import GatehouseSystem

// The cookie by which a server knows this device, so that others who guess a password do not lock its user out. It is
// kept through sign-outs, for each server apart. It is no credential, and a command does not fail for it.
extension Home {
  private var device: String { session + ".device" }

  func knownDevice() -> Secret? {
    let bytes = try? ifThere { () throws(SystemError) in
      try OpenFolder.own(sessions).openOwn(FileLocation(device).name, .reading, .secret).readAll(limit: 1 << 10) ?? []
    }
    let text = bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.isEmpty ? nil : Secret(text)
  }

  func keep(_ cookie: Secret?, inPlaceOf known: Secret?) {
    guard let cookie, cookie != known else { return }
    do throws(SystemError) { try AtomicFile.write(Array(cookie.revealed.utf8), to: device) } catch {
      StandardError.say("the cookie of this device could not be kept: \(error)")
    }
  }
}
