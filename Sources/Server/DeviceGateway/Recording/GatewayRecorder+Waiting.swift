import Foundation
import Storage

extension GatewayRecorder {
    /// Releases events that waited for a registration or a consent that exists now.
    ///
    /// - Parameter last: the device after which to continue; empty for the first call.
    /// - Returns: the device after which the next call continues; nil if all devices were checked.
    package func release(after last: String) async throws -> String? {
        let writing = await admission.begin(at: clock())
        let limit = 200
        let (devices, free) = try await database.read { transaction in
            let devices = try GatewayEvents.waitingDevices(after: last, limit: limit, in: transaction)
            let free = try devices.filter { device in
                switch try DeviceRegistration.owner(of: device, in: transaction) {
                case .unknown: return false
                case .ended: return true
                case .participant(let participant, _):
                    if case .held = try writing.dataAdmission(of: participant, in: transaction) { return false }
                    return true
                }
            }
            return (devices, free)
        }
        if !free.isEmpty {
            try await database.write { transaction in
                for device in free { try GatewayEvents(transaction: transaction).release(device: device) }
            }
        }
        return devices.count == limit ? devices.last : nil
    }

    /// Returns the time until the next deferred event is due; nil if there is none.
    func untilNextDue() async throws -> Duration? {
        let now = Self.milliseconds(clock())
        let due = try await database.read { try GatewayEvents(transaction: $0).nextDue(after: now) }
        return due.map { .milliseconds($0 - now) }
    }
}
