"""A setting is looked up in its file again every time it is needed."""

import os

os.makedirs("settings", exist_ok=True)
for number in range(50):
    with open("settings/%d.txt" % number, "w", encoding="ascii") as file:
        file.write("key=%d\n" % number)


def setting(number):
    path = "settings/%d.txt" % number
    if not (os.path.exists(path) and os.stat(path).st_size > 0):
        return 0
    handle = os.open(path, os.O_RDONLY)
    text = os.read(handle, 64)
    os.close(handle)
    return int(text[4:])


total = 0
for index in range(250000):
    total += setting(index % 50)
print(total)
