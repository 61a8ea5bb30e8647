import Foundation

/// Standard output, which is not flushed automatically if it is not a terminal.
struct StandardOutput {
    func flush() { fflush(nil) }
}
