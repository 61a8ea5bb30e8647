import Foundation
import HealthData

/// A line on standard error with the progress of a long operation: elements, rate and time left. Only on a terminal,
/// not in files and pipes.
package final class ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1
    private let clock = ContinuousClock()
    private let begin: ContinuousClock.Instant
    private var last: ContinuousClock.Instant
    private var hasShown = false

    package init() {
        begin = clock.now
        last = begin
    }

    deinit { if hasShown { write("\r\u{1B}[K") } }

    package func show(_ progress: HealthProgress) {
        show(Self.text(progress, seconds: (clock.now - begin) / .seconds(1)))
    }

    package func show(_ text: @autoclosure () -> String) {
        let now = clock.now
        guard isShown, now - last > .milliseconds(200) else { return }
        last = now
        hasShown = true
        write("\r\u{1B}[K" + text())
    }

    /// `1200000 elements, 410000/s, 62 %, 3 s left`.
    package static func text(_ progress: HealthProgress, seconds: Double) -> String {
        var parts = ["\(progress.elements) elements", "\(Int(Double(progress.elements) / max(seconds, 0.001)))/s"]
        if progress.total > 0, progress.bytes > 0 {
            let share = min(1, Double(progress.bytes) / Double(progress.total))
            parts.append("\(Int(share * 100)) %")
            parts.append("\(Int((seconds / share - seconds).rounded(.up))) s left")
        }
        return parts.joined(separator: ", ")
    }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
