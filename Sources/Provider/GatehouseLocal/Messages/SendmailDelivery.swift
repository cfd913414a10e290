public import GatehouseBase
import GatehouseSystem

/// Passes each message to the system's mail program, with `sendmail -t -i`, which Postfix, Exim, OpenSMTPD, msmtp and
/// others provide.
///
/// No shell is involved, and the arguments, which every user of the machine can read, contain no text of a message. The
/// message is written to the program's standard input. The program inherits no other file of this process, and no
/// environment variable except `PATH`. The message counts as delivered if the program exits with 0: the mail program
/// then has the message, and retries from its own queue.
public struct SendmailDelivery: MessageDelivery {
  private let program: String
  private let sender: String
  private let timeout: Duration
  private let clocks: any Clocks

  /// - Parameters:
  ///   - program: the path of the mail program.
  ///   - sender: the address that the messages come from.
  ///   - timeout: the maximum duration, after which the program is terminated. `LocalOptions.deliveryTimeout` limits it
  ///     as well.
  ///   - clocks: the clocks that measure that duration, and date the messages.
  public init(
    program: String = "/usr/sbin/sendmail", from sender: String, timeout: Duration = .seconds(20),
    clocks: any Clocks = SystemClocks()
  ) {
    self.program = program
    self.sender = sender
    self.timeout = timeout
    self.clocks = clocks
  }

  /// Passes the message on; the mail program has accepted it when this returns. Blocks its thread.
  ///
  /// - Throws: `.invalidRecipientEmail` for a recipient that the program refuses, `.invalidSender`,
  ///   `.providerUnavailable` for a program that is missing, fails or takes too long.
  public func deliver(_ message: OutgoingMessage) async throws(AuthError) {
    let bytes = try MailText.make(
      message, from: sender, at: clocks.now().wall, id: SystemRandomSource().identifier())
    SlowWork.begins(.file)
    let command = Program(
      program, [program, "-t", "-i"], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], isApart: true)
    let end = clocks.now().boot + timeout.inSeconds
    var isLate = false
    let ending: RunningProgram.Ending
    do throws(SystemError) {
      // A mail program reads lines that end with LF.
      let running = try command.start(input: bytes.filter { $0 != UInt8(ascii: "\r") })
      ending = try running.wait {
        isLate = isLate || clocks.now().boot > end
        return !isLate && !Task.isCancelled
      }
    } catch {
      throw AuthError(.providerUnavailable, "\(program) cannot be run: \(error)")
    }
    if isLate { throw AuthError(.providerUnavailable, "\(program) has taken \(timeout.inSeconds) s and was ended") }
    if Task.isCancelled { throw .cancelled }
    switch ending {
    case .exited(0): return
    // sysexits.h: the recipient's user or host is unknown.
    case .exited(67), .exited(68):
      throw AuthError(.invalidRecipientEmail, "\(program) knows no such recipient (status \(ending.status))")
    case .exited(75):
      throw AuthError(.providerUnavailable, "\(program) cannot take the message now (status 75); try again later")
    case .exited(let status): throw AuthError(.providerUnavailable, "\(program) failed with status \(status)")
    case .killed(let signal): throw AuthError(.providerUnavailable, "\(program) was ended by signal \(signal.rawValue)")
    }
  }
}
