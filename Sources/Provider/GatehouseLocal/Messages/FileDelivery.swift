public import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// Writes each message as a file to a folder, for development, for tests, and for a mail program that reads the folder.
///
/// A file is named `NUMBER-RANDOM.eml` (RFC 5322) or, for a text to a phone, `NUMBER-RANDOM.txt`. It is readable only
/// by its owner, and appears atomically. The names sort in the order of the messages.
public struct FileDelivery: MessageDelivery, TextDelivery {
  private let folder: String
  private let sender: String
  private let clocks: any Clocks

  /// - Parameters:
  ///   - folder: a folder for the messages, which is created if it is missing. An existing folder must belong to this
  ///     user, and not be writable by others.
  ///   - sender: the address that the messages come from.
  ///   - clocks: the clocks that number the files, in microseconds since 1970, and date the messages.
  public init(folder: String, from sender: String = "noreply@localhost", clocks: any Clocks = SystemClocks()) {
    self.folder = folder
    self.sender = sender
    self.clocks = clocks
  }

  /// Writes the message; it is on the disk when this returns.
  public func deliver(_ message: OutgoingMessage) async throws(AuthError) {
    let (time, id) = (clocks.now().wall, SystemRandomSource().identifier())
    try write(try MailText.make(message, from: sender, at: time, id: id), as: "eml")
  }

  /// Writes the text, below the number that it is sent to; it is on the disk when this returns.
  public func deliver(_ text: OutgoingText) async throws(AuthError) {
    try write(Array("\(text.phoneNumber)\n\n\(text.text.revealed)\n".utf8), as: "txt")
  }

  private func write(_ bytes: [UInt8], as suffix: String) throws(AuthError) {
    SlowWork.begins(.file)
    let microseconds = Int(clamping: (clocks.now().wall * 1_000_000).rounded(.down))
    do throws(SystemError) {
      let folder = try OpenFolder.ownOrMade(folder)
      let random = SystemRandomSource().identifier().prefix(8)
      try folder.create("\(microseconds)-\(random).\(suffix)", with: bytes)
    } catch {
      throw AuthError(.providerUnavailable, "the message could not be written: \(error)")
    }
  }
}
