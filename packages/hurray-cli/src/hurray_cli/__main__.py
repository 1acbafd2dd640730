"""``python -m hurray_cli``."""

import sys

from hurray_cli import main

sys.exit(main())
