import Foundation

/// Standard output, which is not flushed by itself where it is no terminal.
struct StandardOutput {
    func flush() { fflush(nil) }
}
