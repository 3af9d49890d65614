"""Laboratory reports, clinical reports and product data sheets: many short key-value lines, tables of values with units and ranges, sections with findings."""

from ..markup import Cell, block, grid, heading, items, lines, note, pair, paragraph, row, table, tag, text
from ..pictures import figure
from ..registry import family

PANELS = {
    "Haematology": "Haemoglobin,g/dL,12.0,16.0|Haematocrit,%,36,46|Erythrocytes,10^12/L,4.0,5.2|Leukocytes,10^9/L,4.0,10.0|Thrombocytes,10^9/L,150,400|MCV,fL,80,96|MCH,pg,27,33|Neutrophils,%,40,75|Lymphocytes,%,20,45|Monocytes,%,2,10|Eosinophils,%,1,6",
    "Clinical chemistry": "Glucose (fasting),mmol/L,3.9,5.6|Creatinine,µmol/L,45,90|Urea,mmol/L,2.5,7.8|Sodium,mmol/L,136,145|Potassium,mmol/L,3.5,5.1|Calcium,mmol/L,2.15,2.55|ALT (GPT),U/L,0,35|AST (GOT),U/L,0,35|GGT,U/L,0,40|Bilirubin total,µmol/L,0,21|CRP,mg/L,0,5|Albumin,g/L,35,52",
    "Lipids": "Cholesterol,mmol/L,0,5.2|HDL cholesterol,mmol/L,1.0,2.2|LDL cholesterol,mmol/L,0,3.0|Triglycerides,mmol/L,0,1.7",
    "Thyroid": "TSH,mU/L,0.4,4.0|Free T4,pmol/L,12,22|Free T3,pmol/L,3.1,6.8", "Coagulation": "INR,,0.9,1.1|aPTT,s,25,37|Fibrinogen,g/L,2.0,4.0|D-dimer,mg/L,0,0.5",
    "Urinalysis": "pH,,5.0,8.0|Specific gravity,,1.005,1.030|Protein,g/L,0,0.15|Nitrite,,neg,neg|Leukocytes,/µL,0,25|Ketones,,neg,neg",
}


def _patient(draw, habit, language):
    facts = [("name", f"{language.family(draw)}, {language.given(draw)}"), ("birth", language.date(language.day(draw))), ("sex", draw.pick("M|F|m|w")), ("age", str(draw.randint(1, 97))), ("physician", language.person(draw)), ("sample", draw.code("####-####")), ("date", f"{language.date(language.day(draw))} {draw.randint(6, 18)}:{draw.randint(10, 59)}"), ("customer_no", draw.digits(7)), ("order_no", draw.code("L-######"))]
    chosen, shape = habit.sample(facts, habit.randint(4, 8)), habit.pick("pairs|grid|table|boxed")
    colon = habit.pick(["", ":"])
    if shape == "table":
        rows, it = [], iter(chosen[:len(chosen) // 2 * 2])
        for (key, value), (other, second) in zip(it, it):
            rows.append(row([Cell(text(language.label(key) + colon), head=True, scope="row"), text(value), Cell(text(language.label(other) + colon), head=True, scope="row"), text(second)]))
        return table([], rows)
    pairs = [pair(language.label(key) + colon, value) for key, value in chosen]
    return grid(habit.choice([2, 3]), *pairs) if shape == "grid" else block(None, *pairs, data_box=True if shape == "boxed" else None)


def _result(draw, low, high):
    if low == "neg":
        return draw.pick("neg|neg|pos|+"), ""
    least, most = float(low), float(high)
    value = draw.uniform(least * 0.7, most * 1.3)
    places = 0 if most >= 100 else 1 if most >= 10 else 2
    flag = "L" if value < least else "H" if value > most else ""
    return f"{value:.{places}f}", flag


def panel(draw, habit_shape, language, name, with_title):
    """A table of one panel, with or without the panel's name as a spanning row."""
    columns, marks, method, rows = habit_shape["columns"], habit_shape["marks"], habit_shape["method"], []
    if with_title:
        rows.append(row([Cell(text(name), head=True, scope="rowgroup", across=len(columns))]))
    for entry in PANELS[name].split("|"):
        if draw.chance(0.15):
            continue
        label, unit, low, high = entry.split(",")
        value, flag = _result(draw, low, high)
        shown = {"H": marks[0], "L": marks[1], "": ""}[flag]
        span = "negative" if low == "neg" else f"< {high}" if low == "0" else f"{low} – {high}"
        values = {"test": text(label if language.code == "en" or draw.chance(0.7) else language.phrase(draw, 1, 2)), "result": tag("strong", value) if flag else value, "flag": shown, "unit": text(unit), "reference_range": text(span), "remarks": text(language.phrase(draw, 1, 3)) if draw.chance(0.12) else "", "previous": text(_result(draw, low, high)[0])}
        cells = [Cell(values[column], head=column == "test", scope="row" if column == "test" else None, data_indent=1 if with_title and column == "test" and habit_shape["indent"] else None) for column in columns]
        if method and draw.chance(0.5):
            cells[0].content += "<br>" + tag("small", text(draw.pick("Photometry|ECLIA|Flow cytometry|ISE, indirect|Turbidimetry")))
        rows.append(row(cells))
    return rows


@family("laboratory-report")
def laboratory_report(draw, habit, language):
    columns = ["test", "result"] + (["flag"] if habit.chance(0.5) else []) + habit.sample(["unit", "reference_range"], 2) + (["previous"] if habit.chance(0.3) else []) + (["remarks"] if habit.chance(0.2) else [])
    shape = {"columns": columns, "marks": habit.choice([("H", "L"), ("↑", "↓"), ("+", "−"), ("*", "*")]), "method": habit.chance(0.2), "indent": habit.chance(0.5)}
    one, titled, clinic = habit.chance(0.5), habit.chance(0.8), language.company(draw)
    title = f"{language.title(draw, 1, 2)} – {language.label('results')}"
    head = row([Cell(text({"flag": "", "previous": language.label("date")}[column] if column in ("flag", "previous") else language.label(column)), head=column != "flag", scope="col" if column != "flag" else None) for column in columns])
    parts = [block("address", tag("strong", text(clinic)), "<br>", lines(language.address(draw) + [language.phone(draw)])) if habit.chance(0.7) else block("page-header", text(clinic)), heading(1, title), _patient(draw, habit, language)]
    chosen = draw.some(list(PANELS), 1, 5)
    if one:
        parts.append(table([head], [], bodies=[panel(draw, shape, language, name, titled) or [row([""] * len(columns))] for name in chosen]))
    else:
        for name in chosen:
            parts.append((heading(2, name) if titled else "") + table([head], panel(draw, shape, language, name, False) or [row([""] * len(columns))]))
    if draw.chance(0.6):
        parts += [heading(2, language.label("remarks")), paragraph(text(language.text(draw, 1, 3)))]
    parts += [note(marker, text(language.sentence(draw, 4, 12))) for marker in "*†"[:draw.randint(0, 2)]]
    parts.append(block("signature", lines([language.person(draw), language.phrase(draw, 1, 3)])))
    return title, "".join(parts)


@family("clinical-report")
def clinical_report(draw, habit, language):
    title = habit.pick(["Discharge summary", "Radiology report", "Operative note", "Consultation"]) if language.code == "en" else language.title(draw, 1, 3)
    names = habit.sample(["History", "Medication", "Examination", "Findings", "Assessment", "Plan", "Allergies", "Technique", "Comparison", "Impression"], habit.randint(4, 8))
    run_in, upper = habit.chance(0.35), habit.chance(0.4)
    parts = [heading(1, title.upper() if upper else title), _patient(draw, habit, language)]
    for name in names:
        label = name if language.code == "en" else language.phrase(draw, 1, 2)
        label = label.upper() if upper else label
        if run_in:
            parts.append(paragraph(tag("strong", text(label + ":")) + " " + language.paragraph(draw, 1, 4)))
            continue
        parts.append(heading(2, label))
        if name == "Medication":
            rows = [row([Cell(text(language.word(draw).capitalize() + draw.pick("ol|in|an|ide")), head=True, scope="row"), f"{draw.choice([5, 10, 20, 50, 100, 500])} mg", draw.pick("1-0-0|1-0-1|0-0-1|2-0-0|1-1-1"), text(language.phrase(draw, 1, 4) if draw.chance(0.4) else "")]) for _ in range(draw.randint(2, 9))]
            parts.append(table([row([Cell(text(language.label(key)), head=True, scope="col") for key in ("description", "amount", "time", "remarks")])] if habit.chance(0.7) else [], rows))
        elif name in ("Assessment", "Plan", "Impression", "Allergies"):
            parts.append(items([text(language.sentence(draw, 3, 14)) for _ in range(draw.randint(1, 6))], ordered=draw.chance(0.6)))
        elif name == "Examination" and draw.chance(0.6):
            parts.append(grid(3, *(pair(key, value) for key, value in (("RR", f"{draw.randint(95, 180)}/{draw.randint(55, 110)}"), ("HR", f"{draw.randint(48, 130)}/min"), ("T", f"{draw.uniform(35.8, 39.9):.1f} °C"), ("SpO₂", f"{draw.randint(85, 100)} %")))))
            parts.append(paragraph(language.paragraph(draw, 1, 4)))
        else:
            parts += [paragraph(language.paragraph(draw, 1, 5)) for _ in range(draw.randint(1, 3))]
    return title, "".join(parts) + grid(2, *(block("signature", lines([language.person(draw), language.label("physician")])) for _ in range(draw.choice([1, 2]))))


PROPERTIES = "Supply voltage|Operating temperature|Output current|Input impedance|Weight|Dimensions (L × W × H)|Protection class|Material|Viscosity at 20 °C|Density|Flash point|Shelf life|Nominal pressure|Thread|Efficiency|Bandwidth|Resolution|Noise level"
UNITS = "V|A|mA|°C|kg|mm|bar|Hz|kHz|W|%|dB(A)|g/cm³|Ω|N·m"


@family("data-sheet")
def data_sheet(draw, habit, language):
    name = f"{draw.code(habit.pick('AA-###|AAA ####|A##.#|###-AA'))} {language.phrase(draw, 1, 3)}"
    ranges, rows, spans = habit.chance(0.6), [], habit.chance(0.4)
    parts = [grid("2 1", block(None, heading(1, name), block("subtitle", text(language.phrase(draw, 2, 6)))), figure(draw, text(name), kinds=["photograph", "boxes"])) if habit.chance(0.5) else heading(1, name), paragraph(language.paragraph(draw, 1, 3)),
             grid(2, block(None, heading(2, language.title(draw, 1, 2)), items([text(language.sentence(draw, 3, 10)) for _ in range(draw.randint(3, 7))])), block(None, heading(2, language.title(draw, 1, 2)), items([text(language.phrase(draw, 2, 5)) for _ in range(draw.randint(3, 6))])))]
    labels = PROPERTIES.split("|") if language.code == "en" else [language.phrase(draw, 1, 3) for _ in range(16)]
    for label in draw.sample(labels, draw.randint(6, 15)):
        unit, low, count = draw.pick(UNITS), draw.amount(0.5, 300, 1), draw.choice([1, 1, 1, 2, 3]) if spans else 1
        for index in range(count):
            high = round(low * draw.uniform(1.1, 3), 1)
            cells = ([Cell(text(label), head=True, scope="row", down=count)] if index == 0 else []) + ([Cell(text(language.phrase(draw, 1, 2)) if count > 1 else "")] if spans else [])
            rows.append(row(cells + ([Cell(f"{low}"), Cell(f"{(low + high) / 2:.1f}" if draw.chance(0.6) else ""), Cell(f"{high}"), Cell(text(unit))] if ranges else [Cell(text(f"{low} {unit}"))])))
    head = row([Cell("Parameter" if language.code == "en" else text(language.label("description")), head=True, scope="col")] + ([Cell(text(language.label("note")), head=True, scope="col")] if spans else []) + ([Cell(label, head=True, scope="col") for label in ("Min.", "Typ.", "Max.")] + [Cell(text(language.label("unit")), head=True, scope="col")] if ranges else [Cell(text(language.label("result")), head=True, scope="col")]))
    parts += [heading(2, language.title(draw, 1, 3)), table([head] if habit.chance(0.8) else [], rows)]
    if draw.chance(0.5):
        parts.append(figure(draw, text(language.sentence(draw, 4, 9)), label=f"{language.label('figure')} 1.", kinds=["curve", "bars"]))
    if draw.chance(0.5):
        order = [row([draw.code("AA###-#"), text(language.phrase(draw, 1, 4)), Cell(text(language.money(draw.amount(2, 900))), data_align="right")]) for _ in range(draw.randint(2, 7))]
        parts += [heading(2, language.label("order_no")), table([row([Cell(text(language.label(key)), head=True, scope="col") for key in ("order_no", "description", "price")])], order)]
    return name, "".join(parts) + note("1", text(language.sentence(draw)))
