#if canImport(ResearchKit)
    import FHIR
    import ResearchKit

    /// The JSON that an object was read from. Members that the object does not have, and the digits, offsets and order of
    /// the members that it has, are written again while the app does not change them.
    struct ResultOrigin {
        /// The object; while it exists, no other object has its identity.
        let object: ORKResult
        /// The members as read.
        let read: JSONObject
        /// The members that the writer gave directly after reading.
        let written: JSONObject

        /// Returns the members to write.
        ///
        /// - Parameter current: the members that the writer gives now.
        func merged(_ current: JSONObject) -> JSONObject { Self.merged(current, read: read, written: written) }

        private static func merged(_ current: JSONObject, read: JSONObject, written: JSONObject) -> JSONObject {
            var members = read
            for name in written.keys + current.keys.filter({ written[$0] == nil }) {
                let before = written[name]
                let now = current[name]
                if before == now { continue }
                if let before = before?.object, let now = now?.object, let read = read[name]?.object {
                    members[name] = .object(merged(now, read: read, written: before))
                } else {
                    members[name] = now
                }
            }
            return members
        }
    }
#endif
