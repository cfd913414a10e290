/// Ends this process if it hangs: the first line of each exit test, because a child that hangs would hang the run.
///
/// The child's exit status is then `Watchdog.exitStatus`, and the last line of its standard error is the caller's place.
package func endIfItHangs(watchdog: Watchdog = .shared, file: String = #fileID, line: Int = #line) {
  watchdog.begin("\(file):\(line)")
}
