#if canImport(CareKitStore)
    import CareKitStore
    import CarePlans
    import Core
    import Foundation

    /// Converts versions between CareKit's values and their JSON, by CareKit's own `Codable`.
    enum CareKitConversion {
        /// Numbers that JSON does not have, as text. CareKit's default is to fail.
        private static let (infinity, negativeInfinity, nan) = ("Infinity", "-Infinity", "NaN")

        /// Such a number as the value of an outcome or as a target is a text value, because no copy can read another form.
        private static func withTexts(_ json: JSON) -> JSON {
            var json = json
            json["object"]?["values"]?.withElements(writeTexts)
            json["object"]?["schedule"]?["elements"]?.withElements { elements in
                for index in elements.indices { elements[index]["targetValues"]?.withElements(writeTexts) }
            }
            return json
        }

        private static func writeTexts(_ values: inout [JSON]) {
            for index in values.indices
            where values[index]["type"]?.string == "double" && values[index]["value"]?.string != nil {
                values[index]["type"] = "text"
            }
        }

        /// Returns the JSON of a version.
        ///
        /// - Throws: ``CareKitSyncError`` `entity-unreadable`, or ``CarePlans/CarePlanError``.
        static func version(_ entity: OCKEntity) throws -> CareEntity {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: infinity, negativeInfinity: negativeInfinity, nan: nan)
            guard let data = try? encoder.encode(entity), let json = JSON(reading: data) else {
                throw CareKitSyncError(.entityUnreadable)
            }
            return try CareEntity(withTexts(json))
        }

        /// Returns CareKit's value of a version.
        ///
        /// - Throws: ``CareKitSyncError`` `entity-unreadable` with the type, the id and the uuid of the version.
        static func entity(_ version: CareEntity) throws -> OCKEntity {
            guard let entity = try? JSONDecoder().decode(OCKEntity.self, from: Data(version.json.text().utf8)) else {
                throw CareKitSyncError(unreadable: version)
            }
            return entity
        }

        /// Returns CareKit's record of a revision.
        ///
        /// - Throws: ``CareKitSyncError`` `entity-unreadable` with the version.
        static func record(_ revision: CareRevision) throws -> OCKRevisionRecord {
            OCKRevisionRecord(
                entities: try revision.entities.map { try entity($0) },
                knowledgeVector: OCKRevisionRecord.KnowledgeVector(revision.knowledgeVector.clocks))
        }

        /// Returns the revision of CareKit's record.
        ///
        /// - Throws: ``CareKitSyncError`` `entity-unreadable`, or ``CarePlans/CarePlanError``.
        static func revision(_ record: OCKRevisionRecord) throws -> CareRevision {
            CareRevision(
                try record.entities.map { try version($0) },
                knowledgeVector: KnowledgeVector(record.knowledgeVector.processes))
        }
    }
#endif
