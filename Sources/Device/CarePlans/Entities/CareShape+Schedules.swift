extension CareShape {
    /// The members of a schedule element that ``CareScheduleElement`` does not read itself, and that CareKit's `Codable`
    /// requires or reads.
    static let scheduleElement = CareShape.object([
        .required("calendar", calendar), .required("interval", interval),
        .required("targetValues", .list(.outcomeValue)),
    ])

    /// Foundation's `Calendar`. Its decoder traps on days that are not 32-bit integers, so they are in the bounds of a week.
    static let calendar = CareShape.object([
        .required("identifier", .choice(CareCalendar.identifiers.keys.sorted())), .required("timeZone", .timeZone),
        .required("firstWeekday", .bounded(1...7)), .required("minimumDaysInFirstWeek", .bounded(1...7)),
        .optional("locale", locale), .optional("current", current),
    ])

    /// The members of Foundation's `DateComponents` that are not numbers. ``CareInterval`` reads the others.
    private static let interval = CareShape.object([
        .optional("calendar", calendar), .optional("timeZone", .timeZone), .optional("isLeapMonth", .flag),
        .optional("isRepeatedDay", .flag),
    ])
    /// 0 for a fixed value, 1 for the current one of the device, 2 for the one that follows the settings of the device.
    private static let current = CareShape.bounded(0...2)
    private static let locale = CareShape.object([
        .required("identifier"), .optional("current", current), .optional("preferences", preferences),
    ])
    /// The settings of the device, which Foundation writes with the current locale.
    private static let preferences = CareShape.object([
        .optional("metric", .flag), .optional("langs", .list(.text)), .optional("locale"), .optional("coll"),
        .optional("weekFirst", .map(.bounded(0...7))), .optional("weekMin", .map(.bounded(0...7))),
        .optional("country"), .optional("meas", .bounded(0...1)), .optional("temp", .bounded(0...1)),
        .optional("24h", .flag), .optional("12h", .flag), .optional("nums", .numberedTexts),
        .optional("dates", .numberedTexts),
        .optional(
            "icu",
            .object([
                .optional("dtSym", .map(.list(.text))), .optional("times", .map(.text)), .optional("nums", .map(.text)),
            ])),
    ])
}
