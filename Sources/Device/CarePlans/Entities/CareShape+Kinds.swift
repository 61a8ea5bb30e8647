extension CareShape {
    /// The form of an entity: the members that CareKit's `Codable` requires and reads. Others are preserved, not checked.
    static func entity(_ kind: CareEntityKind) -> CareShape {
        switch kind {
        case .patient: patient
        case .carePlan: carePlan
        case .contact: contact
        case .task: task
        case .healthKitTask: healthKitTask
        case .outcome: outcome
        }
    }

    private static let versioned: [Member] = [
        .required("id"), .required("uuid", .uuid), .required("effectiveDate", .date), .optional("deletedDate", .date),
        .required("previousVersionUUIDs", .list(.uuid)), .required("nextVersionUUIDs", .list(.uuid)),
        .optional("createdDate", .date), .optional("updatedDate", .date),
        .optional(
            "schemaVersion",
            .object([
                .required("majorVersion", .integer), .required("minorVersion", .integer),
                .required("patchNumber", .integer),
            ])),
        .optional("groupIdentifier"), .optional("tags", .list(.text)), .optional("remoteID"), .optional("source"),
        .optional("userInfo", .map(.text)), .optional("asset"),
        .optional("notes", .list(.object([.optional("author"), .optional("title"), .optional("content")]))),
        .required("timezone", .timeZone),
    ]
    private static let nameParts: [Member] = [
        .optional("namePrefix"), .optional("givenName"), .optional("middleName"), .optional("familyName"),
        .optional("nameSuffix"), .optional("nickname"),
    ]
    private static let name = CareShape.object(nameParts + [.optional("phoneticRepresentation", .object(nameParts))])
    private static let labelled = CareShape.list(.object([.required("label"), .required("value")]))
    private static let scheduled: [Member] = [
        .optional("carePlanUUID", .uuid), .optional("title"), .optional("instructions"),
        .required("impactsAdherence", .flag), .required("schedule", .schedule),
    ]

    private static let patient = CareShape.object(
        versioned + [
            .required("name", name), .optional("sex"), .optional("birthday", .date),
            .optional("allergies", .list(.text)),
        ])
    private static let carePlan = CareShape.object(versioned + [.required("title"), .optional("patientUUID", .uuid)])
    private static let contact = CareShape.object(
        versioned + [
            .optional("carePlanUUID", .uuid), .required("name", name),
            .optional(
                "address",
                .object([
                    .required("street"), .required("city"), .required("state"), .required("postalCode"),
                    .required("country"), .required("isoCountryCode"), .required("subAdministrativeArea"),
                    .required("subLocality"),
                ])),
            .optional("emailAddresses", labelled), .optional("messagingNumbers", labelled),
            .optional("phoneNumbers", labelled), .optional("otherContactInfo", labelled), .optional("organization"),
            .optional("title"), .optional("role"),
            .optional("category", .choice(["careProvider", "friendsAndFamily"])),
        ])
    private static let task = CareShape.object(versioned + scheduled)
    private static let healthKitTask = CareShape.object(
        versioned + scheduled + [
            .required(
                "healthKitLinkage",
                .object([
                    .required("quantityIdentifier"), .required("quantityType", .choice(["cumulative", "discrete"])),
                    .required("unitString"),
                ]))
        ])
    private static let outcome = CareShape.object(
        versioned + [
            .required("taskUUID", .uuid), .required("taskOccurrenceIndex", .integer),
            .required("values", .list(.outcomeValue)),
        ])
}
