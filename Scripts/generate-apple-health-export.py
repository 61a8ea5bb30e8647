#!/usr/bin/env python3
"""Writes a realistic Apple Health export of an invented person.

    generate-apple-health-export.py --output export.zip [--seed 2] [--records 20000]
    generate-apple-health-export.py --output apple_health_export --format folder
    generate-apple-health-export.py --output export.zip --electrocardiogram
    generate-apple-health-export.py --output large.xml --format xml --records 9000000    (4 GB, some minutes)

The same seed and number result in the same bytes on every machine: the script has its own random numbers and its own
ZIP writer with a fixed time. It has the known features of real exports: sources with people's names and
no-break spaces, device texts with a pointer that changes, blood pressures whose members are at the top level too, workouts
with statistics, events and routes, sleep stages of two sources that overlap, values typed in by hand, percentages as
fractions and as percent, pounds and miles, time zones, exact duplicates, types that are not converted, activity
summaries, an attribute twice, and the document type of iOS 16, which is not well-formed.
"""
import argparse
import os
import struct
import sys
import zlib
from datetime import datetime, timedelta, timezone

PERSON = "Robin Example"
PHONE = "Robin’s iPhone"
WATCH = "Robin’s Apple\u00a0Watch"
OLD_PHONE = "Robin’s old iPhone"
PARTNER_SCALE = "Kim’s Scale"
ZONE = "Europe/Berlin"
OFFSET = timezone(timedelta(hours=1))  # every time has the offset of the day of the export
EXPORT_DAY = datetime(2023, 2, 12, 9, 41, 7, tzinfo=OFFSET)
Q = "HKQuantityTypeIdentifier"
C = "HKCategoryTypeIdentifier"


class Random:
    """xorshift64*: the same numbers with every version of Python."""

    def __init__(self, seed):
        self.state = (seed * 0x9E3779B97F4A7C15 + 0x1234567) & (2**64 - 1) or 1

    def bits(self):
        x = self.state
        x ^= x >> 12
        x = (x ^ (x << 25)) & (2**64 - 1)
        x ^= x >> 27
        self.state = x
        return (x * 0x2545F4914F6CDD1D & (2**64 - 1)) >> 11

    def below(self, n):
        return self.bits() % n

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, values):
        return values[self.below(len(values))]

    def decimal(self, low, high, places):
        """A number as text with this number of decimal places, from integers only."""
        scale = 10**places
        value = self.between(low * scale, high * scale)
        return text_of(value, places)


def text_of(value, places):
    sign, value = ("-", -value) if value < 0 else ("", value)
    whole, rest = divmod(value, 10**places)
    fraction = str(rest).rjust(places, "0").rstrip("0") if places else ""
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"


def escape(text):
    for raw, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(raw, entity)
    return text


def attributes(pairs):
    return "".join(f' {name}="{escape(str(value))}"' for name, value in pairs if value is not None)


def stamp(moment):
    return moment.strftime("%Y-%m-%d %H:%M:%S ") + moment.strftime("%z")


# The document type as iOS 16 writes it: the list of VisionPrescription is never closed, and a bracket is too many.
DOCTYPE = """<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 12 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary|ClinicalRecord|Audiogram|VisionPrescription)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!ELEMENT ExportDate EMPTY>
<!ATTLIST ExportDate
  value CDATA #REQUIRED
>
<!ELEMENT Me EMPTY>
<!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>
<!ATTLIST Record
  type          CDATA #REQUIRED
  unit          CDATA #IMPLIED
  value         CDATA #IMPLIED
  sourceName    CDATA #REQUIRED
  sourceVersion CDATA #IMPLIED
  device        CDATA #IMPLIED
  creationDate  CDATA #IMPLIED
  startDate     CDATA #REQUIRED
  endDate       CDATA #REQUIRED
>
<!-- Note: Any Records that appear as children of a correlation also appear as top-level records in this document. -->
<!ELEMENT Correlation ((MetadataEntry|Record)*)>
<!ELEMENT Workout ((MetadataEntry|WorkoutEvent|WorkoutRoute|WorkoutStatistics)*)>
<!ELEMENT WorkoutEvent EMPTY>
<!ELEMENT VisionPrescription ((RightEye|LeftEye|Attachment|MetadataEntry)*)>
<!ATTLIST VisionPrescription
  type              CDATA #REQUIRED
  dateIssued        CDATA #REQUIRED
  expirationDate    CDATA #IMPLIED
  brand             CDATA #IMPLIED
<!ELEMENT RightEye EMPTY>
<!ATTLIST RightEye
  sphere           CDATA #IMPLIED
  sphereUnit       CDATA #IMPLIED
>
>
]>
"""


class Export:
    def __init__(self, seed, records):
        self.random = Random(seed)
        self.wanted = records
        self.count = 0
        self.lines = []

    # -- pieces ---------------------------------------------------------------------------------------------------

    def device(self, kind):
        pointer = f"0x28{self.random.below(2**28):07x}0"
        if kind == "watch":
            return (
                f"<<HKDevice: {pointer}>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, "
                "hardware:Watch6,7, software:9.2>"
            )
        if kind == "phone":
            return (
                f"<<HKDevice: {pointer}>, name:iPhone, manufacturer:Apple Inc., model:iPhone, "
                "hardware:iPhone14,5, software:16.2>"
            )
        return f"<<HKDevice: {pointer}>, name:{PARTNER_SCALE}, manufacturer:Example Scales, model:S1, localIdentifier:kim-7>"

    def source(self, kind):
        """Name, version and device of a source."""
        if kind == "watch":
            return WATCH, "9.2", self.device("watch")
        if kind == "phone":
            return PHONE, "16.2", self.device("phone")
        if kind == "old phone":
            return OLD_PHONE, "12.4.1", None
        if kind == "scale":
            return "Example Scales", "2160040", self.device("scale")
        if kind == "hand":
            return "Health", "16.2", None
        return "Robin Example’s Pressure Diary", "3.1", None

    def metadata(self, pairs, depth):
        return [f"{' ' * depth}<MetadataEntry{attributes([('key', k), ('value', v)])}/>" for k, v in pairs]

    def record(self, kind, source, start, end=None, value=None, unit=None, metadata=(), depth=1, lag=60, fixed=None):
        name, version, device = fixed or self.source(source)
        end = end or start
        pairs = [
            ("type", kind), ("sourceName", name), ("sourceVersion", version), ("device", device), ("unit", unit),
            ("creationDate", stamp(end + timedelta(seconds=lag))), ("startDate", stamp(start)),
            ("endDate", stamp(end)), ("value", value),
        ]
        line = f"{' ' * depth}<Record{attributes(pairs)}"
        self.count += 1
        if not metadata:
            return [line + "/>"]
        return [line + ">"] + self.metadata(metadata, depth + 1) + [f"{' ' * depth}</Record>"]

    def add(self, lines):
        self.lines.extend(lines)

    def seconds(self, low, high):
        return timedelta(seconds=self.random.between(low, high))

    # -- a life ---------------------------------------------------------------------------------------------------

    def build(self):
        r = self.random
        head = ['<?xml version="1.0" encoding="UTF-8"?>', DOCTYPE.rstrip("\n"), '<HealthData locale="de_DE">']
        head.append(f' <ExportDate value="{stamp(EXPORT_DAY)}"/>')
        head.append(
            ' <Me HKCharacteristicTypeIdentifierDateOfBirth="1984-04-30"'
            ' HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexNotSet"'
            ' HKCharacteristicTypeIdentifierBloodType="HKBloodTypeABNegative"'
            ' HKCharacteristicTypeIdentifierFitzpatrickSkinType="HKFitzpatrickSkinTypeNotSet"'
            ' HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse="None"/>'
        )
        per_day = 160
        days = max(3, -(-self.wanted // per_day))
        first = (EXPORT_DAY - timedelta(days=days)).replace(hour=0, minute=0, second=0)
        nights = [first + timedelta(days=day) for day in range(days)]
        # Exports are sorted by type, so each part of life is written for all days at once.
        self.rare(nights)
        members, correlations = self.blood_pressures(nights)
        self.add(members)
        self.vitals(nights)
        self.other_types(nights)
        self.steps(nights)
        self.sleep(nights)
        missing = self.wanted - self.count
        self.heart_rates(nights, max(missing, days * 10))
        self.add(correlations)
        self.workouts(nights)
        self.summaries(nights)
        return "\n".join(head + self.lines + ["</HealthData>"]) + "\n"

    def rare(self, nights):
        r = self.random
        for place, day in enumerate(nights):
            moment = day + self.seconds(25200, 30000)
            if place % 3 == 0:
                # Pounds from a scale that a partner named; now and then typed in by hand in kilograms.
                weight = self.record(
                    Q + "BodyMass", "scale", moment, value=r.decimal(158, 164, 4), unit="lb",
                    metadata=[
                        ("Example Scales User", "kim.example@example.org"),
                        ("Example Scales Link", "example-scales://measure?user=kim&id=" + str(r.below(10**6))),
                        ("HKWasUserEntered", "0"),
                    ])
                self.add(weight)
                if place % 30 == 0:
                    self.add(weight)  # an exact duplicate, as after a restored backup
                    self.count += 1
            if place % 20 == 7:
                self.add(self.record(
                    Q + "BodyMass", "hand", moment, value=r.decimal(72, 74, 1), unit="kg",
                    metadata=[("HKWasUserEntered", "1")]))
        self.add(self.record(
            Q + "Height", "hand", nights[0], value="5.75", unit="ft", metadata=[("HKWasUserEntered", "1")]))
        for place, day in enumerate(nights):
            moment = day + self.seconds(28800, 72000)
            if place % 9 == 4:
                self.add(self.record(
                    Q + "BodyTemperature", "hand", moment, value=r.decimal(97, 100, 1), unit="degF",
                    metadata=[("HKWasUserEntered", "1")]))
            if place % 2 == 0:
                self.add(self.record(
                    Q + "BloodGlucose", "diary", moment, value=r.decimal(4, 8, 1),
                    unit="mmol<180.1558800000541>/L",
                    metadata=[
                        ("HKBloodGlucoseMealTime", str(r.between(1, 2))), ("meal", "Robin’s lunch"),
                        ("Meal", "at Kim’s place"),
                    ]))

    def blood_pressures(self, nights):
        r = self.random
        systolic, diastolic, correlations = [], [], []
        for place, day in enumerate(nights):
            moment = day + self.seconds(25000, 27000)
            fixed = self.source("diary")
            high, low = str(r.between(112, 141)), str(r.between(70, 92))
            metadata = [("HKTimeZone", ZONE), ("Diary Entry", "Robin felt dizzy")]
            if place % 10 == 3:
                # A pair without a correlation: an older version of the diary wrote them so.
                systolic += self.record(Q + "BloodPressureSystolic", "diary", moment, value=high, unit="mmHg", fixed=fixed)
                diastolic += self.record(Q + "BloodPressureDiastolic", "diary", moment, value=low, unit="mmHg", fixed=fixed)
                continue
            if place % 40 == 11:
                systolic += self.record(Q + "BloodPressureSystolic", "diary", moment, value=high, unit="mmHg", fixed=fixed)
                continue
            members = []
            for kind, value, top in (("Systolic", high, systolic), ("Diastolic", low, diastolic)):
                top += self.record(Q + "BloodPressure" + kind, "diary", moment, value=value, unit="mmHg",
                                   metadata=metadata, fixed=fixed)
                members += self.record(Q + "BloodPressure" + kind, "diary", moment, value=value, unit="mmHg",
                                       metadata=metadata, depth=2, fixed=fixed)
            name, version, device = fixed
            pairs = [
                ("type", "HKCorrelationTypeIdentifierBloodPressure"), ("sourceName", name),
                ("sourceVersion", version), ("device", device), ("creationDate", stamp(moment + timedelta(seconds=60))),
                ("startDate", stamp(moment)), ("endDate", stamp(moment)),
            ]
            correlations.append(f" <Correlation{attributes(pairs)}>")
            correlations += self.metadata(metadata, 2) + members + [" </Correlation>"]
        return systolic + diastolic, correlations

    def vitals(self, nights):
        r = self.random
        for day in nights:
            for hour in range(6):
                moment = day + timedelta(hours=hour) + self.seconds(0, 3000)
                if r.chance(2):
                    # An app that writes percent where HealthKit means a fraction.
                    self.add(self.record(Q + "OxygenSaturation", "diary", moment, value=str(r.between(93, 99)), unit="%"))
                else:
                    self.add(self.record(
                        Q + "OxygenSaturation", "watch", moment, value=text_of(r.between(92, 100), 2), unit="%",
                        metadata=[("HKMetadataKeyBarometricPressure", "1013.2 hPa")]))
        for day in nights:
            for hour in range(8):
                moment = day + timedelta(hours=hour) + self.seconds(0, 3000)
                self.add(self.record(
                    Q + "RespiratoryRate", "watch", moment, value=r.decimal(12, 18, 1), unit="count/min",
                    metadata=[("HKTimeZone", ZONE)]))
        for day in nights:
            self.add(self.record(
                Q + "RestingHeartRate", "watch", day + self.seconds(0, 600), day + timedelta(hours=20),
                value=str(r.between(52, 64)), unit="count/min"))

    def other_types(self, nights):
        r = self.random
        for day in nights:
            for _ in range(4):
                moment = day + self.seconds(30000, 80000)
                self.add(self.record(
                    Q + "EnvironmentalAudioExposure", "watch", moment, moment + timedelta(minutes=30),
                    value=r.decimal(42, 86, 3), unit="dBASPL"))
            moment = day + self.seconds(10000, 20000)
            self.lines += self.record(
                Q + "HeartRateVariabilitySDNN", "watch", moment, moment + timedelta(minutes=1),
                value=r.decimal(25, 90, 3), unit="ms", metadata=[("HKTimeZone", ZONE)])
            beats = [
                f'   <InstantaneousBeatsPerMinute bpm="{r.between(54, 71)}" time="4:17:{second:02d}.{r.below(100):02d} AM"/>'
                for second in range(3)
            ]
            closing = self.lines.pop()
            self.lines += ["  <HeartRateVariabilityMetadataList>"] + beats + ["  </HeartRateVariabilityMetadataList>", closing]
        self.add(self.record(Q + "VO2Max", "watch", nights[-1], value="41.2", unit="mL/min·kg",
                             metadata=[("HKVO2MaxTestType", "2")]))
        self.add(self.record(Q + "NumberOfAlcoholicBeverages", "hand", nights[-1], value="1", unit="count",
                             metadata=[("HKWasUserEntered", "1")]))
        self.add(self.record(C + "MindfulSession", "phone", nights[-1], nights[-1] + timedelta(minutes=5)))
        self.add(self.record("HKDataTypeSleepDurationGoal", "hand", nights[0], value="8", unit="hr"))

    def steps(self, nights):
        r = self.random
        for kind, unit, low, high, places in (
            ("StepCount", "count", 8, 900, 0), ("DistanceWalkingRunning", "mi", 0, 1, 6),
            ("ActiveEnergyBurned", "Cal", 0, 30, 3),
        ):
            for day in nights:
                for hour in range(8, 20):
                    moment = day + timedelta(hours=hour) + self.seconds(0, 2400)
                    end = moment + self.seconds(60, 1100)
                    # Phone and watch count the same steps.
                    for source in ("phone", "watch") if kind == "StepCount" and hour % 3 == 0 else (r.pick(["phone", "watch", "watch", "old phone"]),):
                        self.add(self.record(Q + kind, source, moment, end, value=r.decimal(low, high, places), unit=unit))
        for place, day in enumerate(nights):
            if place % 6 == 1:
                moment = day + timedelta(hours=18)
                self.add(self.record(Q + "DistanceCycling", "phone", moment, moment + timedelta(minutes=24),
                                     value=r.decimal(3, 9, 5), unit="km"))
            if place % 12 == 5:
                moment = day + timedelta(hours=7)
                self.add(self.record(Q + "DistanceSwimming", "watch", moment, moment + timedelta(minutes=30),
                                     value=str(r.between(20, 44) * 25), unit="yd"))

    def sleep(self, nights):
        r = self.random
        for day in nights:
            moment = day + timedelta(hours=22) + self.seconds(0, 3600)
            morning = moment + self.seconds(24000, 29000)
            self.add(self.record(C + "SleepAnalysis", "phone", moment, morning, value="HKCategoryValueSleepAnalysisInBed"))
            while moment < morning:
                stage = r.pick(["AsleepCore", "AsleepCore", "AsleepDeep", "AsleepREM", "Awake"])
                end = min(morning, moment + self.seconds(600, 3600))
                self.add(self.record(
                    C + "SleepAnalysis", "watch", moment, end, value="HKCategoryValueSleepAnalysis" + stage,
                    metadata=[("HKTimeZone", ZONE)]))
                moment = end
        for day in nights[:3]:
            moment = day + timedelta(hours=23)
            self.add(self.record(C + "SleepAnalysis", "old phone", moment, moment + timedelta(hours=7),
                                 value="HKCategoryValueSleepAnalysisAsleep"))

    def heart_rates(self, nights, wanted):
        r = self.random
        for index in range(wanted):
            day = nights[index * len(nights) // wanted]
            moment = day + timedelta(seconds=(index * 86400 // max(1, wanted // len(nights))) % 86400) + self.seconds(0, 40)
            self.add(self.record(
                Q + "HeartRate", "watch", moment, value=str(r.between(48, 131)), unit="count/min", lag=r.between(1, 400),
                metadata=[("HKMetadataKeyHeartRateMotionContext", str(r.below(3)))]))

    def workouts(self, nights):
        r = self.random
        for place, day in enumerate(nights):
            if place % 4 != 2:
                continue
            start = day + timedelta(hours=17) + self.seconds(0, 3000)
            minutes = r.between(18, 70)
            end = start + timedelta(minutes=minutes)
            activity, distance = r.pick([
                ("Running", "DistanceWalkingRunning"), ("Cycling", "DistanceCycling"), ("Yoga", None),
                ("TraditionalStrengthTraining", None), ("Walking", "DistanceWalkingRunning"),
            ])
            old = place % 16 == 6
            name, version, device = self.source("watch")
            pairs = [
                ("workoutActivityType", "HKWorkoutActivityType" + activity), ("duration", text_of(minutes * 100000, 5)),
                ("durationUnit", "min"),
            ]
            if old:
                pairs += [
                    ("totalDistance", r.decimal(1, 6, 4)), ("totalDistanceUnit", "mi"),
                    ("totalEnergyBurned", r.decimal(90, 600, 2)), ("totalEnergyBurnedUnit", "kcal"),
                ]
            pairs += [
                ("sourceName", name), ("sourceVersion", version), ("device", device),
                ("creationDate", stamp(end + timedelta(seconds=5))), ("startDate", stamp(start)), ("endDate", stamp(end)),
            ]
            lines = [f" <Workout{attributes(pairs)}>"]
            lines += self.metadata([
                ("HKIndoorWorkout", "0" if distance else "1"), ("HKTimeZone", ZONE),
                ("HKWeatherTemperature", f"{r.between(34, 61)} degF"), ("HKWeatherHumidity", f"{r.between(40, 98)} %"),
                ("HKAverageMETs", r.decimal(3, 9, 2) + " kcal/hr·kg"), ("Club", "Example Runners, with Kim"),
            ], 2)
            lines.append(f'  <WorkoutEvent type="HKWorkoutEventTypePause" date="{stamp(start + timedelta(minutes=9))}"/>')
            times = [("startDate", stamp(start)), ("endDate", stamp(end))]
            if not old:
                lines.append("  <WorkoutStatistics" + attributes(
                    [("type", Q + "HeartRate")] + times + [
                        ("average", r.decimal(110, 140, 3)), ("minimum", str(r.between(80, 100))),
                        ("maximum", str(r.between(150, 180))), ("unit", "count/min")]) + "/>")
                lines.append("  <WorkoutStatistics" + attributes(
                    [("type", Q + "ActiveEnergyBurned")] + (times[:1] if place % 8 == 2 else []) + times + [("sum", r.decimal(90, 600, 3)), ("unit", "Cal")]) + "/>")
                if distance:
                    lines.append("  <WorkoutStatistics" + attributes(
                        [("type", Q + distance)] + times + [("sum", r.decimal(2, 15, 5)), ("unit", "km")]) + "/>")
            if distance:
                route = [
                    ("sourceName", PHONE), ("sourceVersion", "16.2"), ("creationDate", stamp(end)),
                    ("startDate", stamp(start)), ("endDate", stamp(end)),
                ]
                lines += [
                    f"  <WorkoutRoute{attributes(route)}>",
                    f'   <FileReference path="/workout-routes/route_{start:%Y-%m-%d}_{start:%H.%M}.gpx"/>',
                    "  </WorkoutRoute>",
                ]
            self.add(lines + [" </Workout>"])

    def summaries(self, nights):
        r = self.random
        for day in nights:
            self.lines.append(" <ActivitySummary" + attributes([
                ("dateComponents", f"{day:%Y-%m-%d}"), ("activeEnergyBurned", r.decimal(300, 900, 3)),
                ("activeEnergyBurnedGoal", "600"), ("activeEnergyBurnedUnit", "kcal"), ("appleMoveTime", "0"),
                ("appleMoveTimeGoal", "0"), ("appleExerciseTime", str(r.between(5, 80))),
                ("appleExerciseTimeGoal", "30"), ("appleStandHours", str(r.between(6, 15))),
                ("appleStandHoursGoal", "12")]) + "/>")

    def electrocardiogram(self):
        r = self.random
        head = [
            f"Name,{PERSON}", 'Geburtsdatum,"30.04.1984"', "Aufzeichnungsdatum,2023-02-11 21:03:12 +0100",
            "Klassifizierung,Sinusrhythmus", "Symptome,", "Softwareversion,1.90", 'Gerät,"Watch6,7"',
            "Messrate,512 Hertz", "", "", "Ableitung,Ableitung I", "Einheit,µV", "",
        ]
        values = [f"{r.between(-90, 400)},{r.below(1000):03d}" for _ in range(512)]
        return "\n".join(head + values) + "\n"

    def files(self):
        """Paths and bytes; the export is the first of the files that are read."""
        export = self.build()
        route = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Apple Health Export">\n'
            "  <trk><name>Route with Kim</name><trkseg>\n"
            '   <trkpt lon="13.376888" lat="52.516275"><ele>34.1</ele><time>2023-02-10T16:10:00Z</time></trkpt>\n'
            "  </trkseg></trk>\n</gpx>\n"
        )
        cda = (
            '<?xml version="1.0"?>\n<ClinicalDocument xmlns="urn:hl7-org:v3"><recordTarget><patientRole><patient>'
            f"<name>{PERSON}</name></patient></patientRole></recordTarget></ClinicalDocument>\n<ClinicalDocument/>\n"
        )
        return [
            ("apple_health_export/electrocardiograms/ecg_2023-02-11.csv", self.electrocardiogram()),
            ("apple_health_export/workout-routes/route_2023-02-10_5.10pm.gpx", route),
            ("apple_health_export/export_cda.xml", cda),
            ("apple_health_export/Export.xml", export),
            ("__MACOSX/apple_health_export/._Export.xml", "Mac OS X        <HealthData of no use>\n"),
        ]


def write_zip(path, files):
    """A ZIP with bytes that depend only on the files: names in UTF-8, one fixed time."""
    time, date = 0, (43 << 9) | (2 << 5) | 12
    body, directory = b"", b""
    for name, text in files:
        data, encoded = text.encode("utf-8"), name.encode("utf-8")
        packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
        packed = packer.compress(data) + packer.flush()
        common = struct.pack(
            "<HHHHHIIIHH", 20, 0x800, 8, time, date, zlib.crc32(data), len(packed), len(data), len(encoded), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + encoded
        body += b"PK\x03\x04" + common + encoded + packed
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), len(body), 0)
    with open(path, "wb") as out:
        out.write(body + directory + end)


def write_folder(path, files):
    for name, text in files:
        parts = name.split("/")[1:] if name.startswith("apple_health_export/") else name.split("/")
        target = os.path.join(path, *parts)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as out:
            out.write(text.encode("utf-8"))


BLOCK = 500_000


def write_large(path, seed, records):
    """The XML of as many lives on the same days as are needed, one after the other: memory holds one."""
    count = 0
    with open(path, "wb") as out:
        while count < records:
            export = Export(seed + count // BLOCK, min(BLOCK, records - count))
            text = dict(export.files())["apple_health_export/Export.xml"]
            begin = 0 if count == 0 else text.index("\n", text.index(" <Me ")) + 1
            out.write(text[begin:text.rindex("</HealthData>")].encode("utf-8"))
            count += export.count
        out.write(b"</HealthData>\n")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--output", required=True)
    parser.add_argument("--format", choices=["zip", "folder", "xml"], default="zip")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--electrocardiogram", action="store_true", help="an ECG file too, with a name in its heading")
    parser.add_argument("--records", type=int, default=20000, help="minimum number of Record elements")
    options = parser.parse_args()
    if options.format == "xml" and options.records > BLOCK:
        print(f"{write_large(options.output, options.seed, options.records)} records", file=sys.stderr)
        return
    export = Export(options.seed, options.records)
    files = [file for file in export.files() if options.electrocardiogram or not file[0].endswith(".csv")]
    if options.format == "zip":
        write_zip(options.output, files)
    elif options.format == "folder":
        write_folder(options.output, files)
    else:
        with open(options.output, "wb") as out:
            out.write(dict(files)["apple_health_export/Export.xml"].encode("utf-8"))
    print(f"{export.count} records", file=sys.stderr)


if __name__ == "__main__":
    main()
