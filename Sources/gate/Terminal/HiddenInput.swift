import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// Keeps what is typed hidden after a hidden prompt, while the secret is checked: a person may type the next one ahead.
struct HiddenInput: Sendable {
  private let pipe: WakePipe
  private let prompt: Task<Void, Never>

  /// Asks for a secret on the terminal. `end()` must be called, also if the secret is refused: until then the terminal
  /// shows nothing.
  ///
  /// - Returns: what was typed.
  static func ask(_ question: String) async throws(AuthError) -> (typed: [UInt8], HiddenInput) {
    let (lines, line) = AsyncStream<Result<[UInt8], SystemError>>.makeStream()
    do throws(SystemError) {
      let pipe = try WakePipe()
      // The prompt blocks its thread, which must be none of Swift's.
      let threads = PoolShare(width: 1)
      let prompt = Task.detached {
        await Background.run(on: threads) {
          if let terminal = Terminal() {
            do throws(SystemError) {
              try terminal.hiddenLine(question, until: pipe) { line.yield(.success($0)) }
            } catch { line.yield(.failure(error)) }
          }
          line.finish()
        }
      }
      for await typed in lines { return (try typed.get(), HiddenInput(pipe: pipe, prompt: prompt)) }
    } catch {
      throw AuthError(
        .invalidArgument, "the terminal cannot be used (\(error)); use --password-stdin or --password-file")
    }
    throw AuthError(.invalidArgument, "the terminal is gone; use --password-stdin or --password-file")
  }

  /// Shows again what is typed. Returns when the terminal does.
  func end() async {
    pipe.wake()
    await prompt.value
  }
}
