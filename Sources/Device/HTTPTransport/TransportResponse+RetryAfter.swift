import Core
import Foundation

extension TransportResponse {
    /// Returns the delay in seconds of `Retry-After` (RFC 9110 section 10.2.3), a number or a date, limited to 0 to a
    /// day.
    ///
    /// ```swift
    /// let delay = response.retryAfter(now: .now) ?? 60
    /// ```
    public func retryAfter(now: Date) -> Double? {
        guard let text = headers["retry-after"]?.trimmingCharacters(in: .whitespaces) else { return nil }
        if let seconds = ServerDelay.read(text) { return seconds }
        return HTTPDate.date(text).map { ServerDelay.clamped($0.timeIntervalSince(now)) }
    }
}
